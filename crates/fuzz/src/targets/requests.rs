//! Requests to a service: whatever they are, the answer is one that its contract names, and the service is well afterwards.

use crate::fuzzed_service::FuzzedService;
use crate::mutator::Dictionary;
use crate::request::FuzzRequest;
use crate::seeds;
use crate::target::{Subject, Verdict};

pub(super) struct Requests {
    fuzzed: FuzzedService,
    is_left_out: fn(&FuzzRequest) -> bool,
}

impl Requests {
    pub(super) fn to(fuzzed: FuzzedService) -> Self {
        Self { fuzzed, is_left_out: |_| false }
    }

    /// Such requests are not sent.
    pub(super) fn except(self, is_left_out: fn(&FuzzRequest) -> bool) -> Self {
        Self { is_left_out, ..self }
    }
}

impl Subject for Requests {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let Some(request) = FuzzRequest::read(&self.fuzzed.names.filled_in(input)) else {
            return Ok("no request".to_owned());
        };
        if (self.is_left_out)(&request) {
            return Ok("not sent".to_owned());
        }
        self.fuzzed.judge(&request)
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        seeds::requests(&self.fuzzed.contract, &self.fuzzed.names)
    }

    fn dictionary(&self) -> Dictionary {
        seeds::dictionary(&self.fuzzed.contract, &self.fuzzed.names)
    }
}
