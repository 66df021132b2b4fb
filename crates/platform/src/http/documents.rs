//! The documents that a service shows of itself: its contract for machines and for people, and its channels.
//! Each is made when it is first asked for. Most services are never asked, and to make them takes more memory than all else.

use std::sync::OnceLock;

use starkeep_contract::asyncapi;
use starkeep_contract::events::Channel;
use utoipa::openapi::OpenApi;

use super::docs::Docs;
use crate::service_addresses::ServiceAddresses;

pub struct Documents {
    contract: Box<dyn Fn() -> OpenApi + Send + Sync>,
    channels: &'static [Channel],
    addresses: Option<ServiceAddresses>,
    openapi: OnceLock<String>,
    asyncapi: OnceLock<String>,
    docs: OnceLock<Docs>,
}

impl Documents {
    /// `channels` are those of the service.
    pub fn new(
        contract: impl Fn() -> OpenApi + Send + Sync + 'static,
        channels: &'static [Channel],
        addresses: Option<ServiceAddresses>,
    ) -> Self {
        Self {
            contract: Box::new(contract),
            channels,
            addresses,
            openapi: OnceLock::new(),
            asyncapi: OnceLock::new(),
            docs: OnceLock::new(),
        }
    }

    pub(super) fn openapi(&self) -> &str {
        self.openapi.get_or_init(|| contract_text(&(self.contract)()))
    }

    pub(super) fn asyncapi(&self) -> &str {
        self.asyncapi.get_or_init(channels_text)
    }

    pub(super) fn docs(&self) -> &Docs {
        self.docs.get_or_init(|| Docs::new(&(self.contract)(), self.channels, self.addresses.clone()))
    }
}

/// The contract as it is checked in: indented, so that a change can be read.
pub fn contract_text(contract: &OpenApi) -> String {
    contract.to_pretty_json().expect("a contract is plain data") + "\n"
}

/// The channels' document, as it is checked in.
pub fn channels_text() -> String {
    let document = asyncapi::document(env!("CARGO_PKG_VERSION"));
    serde_json::to_string_pretty(&document).expect("a contract is plain data") + "\n"
}
