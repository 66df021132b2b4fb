//! The contract of each service, compiled once in a test binary: every exchange of every test is compared with it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use starkeep_contract_check::{ContractCheck, Exchange};
use starkeep_platform::service::Service;

use crate::requests::TestRequest;
use starkeep_test_http::Reply;

/// The contract of the service, by its name.
pub(crate) fn of(service: &impl Service) -> Arc<ContractCheck> {
    static COMPILED: LazyLock<Mutex<BTreeMap<&'static str, Arc<ContractCheck>>>> =
        LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let document = serde_json::to_value(service.contract()).expect("a contract is plain data");
        Arc::new(ContractCheck::new(document))
    };
    compiled.entry(service.name()).or_insert_with(compile).clone()
}

/// Panics if the exchange does not conform to the contract.
#[track_caller]
pub(crate) fn compare(contract: &ContractCheck, request: &TestRequest, reply: &Reply) {
    if request.is_answered_by_earlier_version {
        return;
    }
    contract.check(&Exchange {
        method: &request.method,
        path: &request.path,
        request_headers: &request.headers,
        request_body: &request.body,
        status: reply.status,
        headers: &reply.headers,
        body: &reply.bytes,
        is_request_documented: request.is_documented,
    });
}
