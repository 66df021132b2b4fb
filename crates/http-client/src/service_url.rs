//! Where a service is: an address that was checked, so that a mistyped one is noticed at the start.
//! The one type for what is called from here. TLS belongs to a proxy in front of the services, so `https` is refused.

use http::Uri;

#[derive(Clone, Debug)]
pub struct ServiceUrl(String);

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
        Ok(Self(url.trim_end_matches('/').to_owned()))
    }

    /// A service that listens at this address.
    pub fn local(address: std::net::SocketAddr) -> Self {
        Self(format!("http://{address}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of something there.
    pub fn path(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}
