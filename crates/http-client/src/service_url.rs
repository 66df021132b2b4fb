//! Where a service is: an address that was checked, so that a mistyped one is noticed at the start.
//! The one type for what is called from here. TLS belongs to a proxy in front of the services, so `https` is refused.

use std::sync::Arc;

use http::Uri;

use crate::network::Network;

#[derive(Clone, Debug)]
pub struct ServiceUrl {
    url: String,
    /// None: the machine's own.
    network: Option<Arc<dyn Network>>,
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not the address of a service: it must look like http://127.0.0.1:8081{hint}", hint = hint(.0))]
pub struct BadServiceUrl(String);

/// The mistake that is most likely made.
fn hint(url: &str) -> &'static str {
    if url.starts_with("https:") {
        "; services are called without TLS, so name its address behind the TLS proxy"
    } else {
        ""
    }
}

impl ServiceUrl {
    pub fn parse(url: &str) -> Result<Self, BadServiceUrl> {
        let bad = || BadServiceUrl(url.to_owned());
        let parsed: Uri = url.parse().map_err(|_| bad())?;
        if parsed.scheme_str() != Some("http") || parsed.host().is_none() || parsed.query().is_some() {
            return Err(bad());
        }
        Ok(Self::at(url.trim_end_matches('/').to_owned()))
    }

    /// A service that listens at this address.
    pub fn local(address: std::net::SocketAddr) -> Self {
        Self::at(format!("http://{address}"))
    }

    fn at(url: String) -> Self {
        Self { url, network: None }
    }

    /// The same service, reached over another network than the machine's.
    #[must_use]
    pub fn over(self, network: Arc<dyn Network>) -> Self {
        Self { network: Some(network), ..self }
    }

    pub(crate) fn network(&self) -> Option<&Arc<dyn Network>> {
        self.network.as_ref()
    }

    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The address of something there.
    pub fn path(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}
