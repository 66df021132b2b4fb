//! An address to listen on: an IP address or the name of a host, with a port.
//! A name is resolved when the program starts.

use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    At(SocketAddr),
    Host { name: String, port: u16 },
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse() {
            return Ok(Self::At(address));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || ['.', '-', '_'].contains(&c);
        let host = text.rsplit_once(':').filter(|(name, _)| !name.is_empty() && name.chars().all(is_name));
        host.and_then(|(name, port)| Some(Self::Host { name: name.to_owned(), port: port.parse().ok()? }))
            .ok_or_else(|| {
                "expected an address and a port, such as 127.0.0.1:8080, localhost:8080 or [::1]:8080"
                    .to_owned()
            })
    }
}

impl Listen {
    /// Of several addresses of a name one of IPv4, which clients try in any case.
    pub(crate) fn resolve(&self) -> Result<SocketAddr, String> {
        let (name, port) = match self {
            Self::At(address) => return Ok(*address),
            Self::Host { name, port } => (name, *port),
        };
        let found = (name.as_str(), port).to_socket_addrs();
        let found: Vec<_> =
            found.map_err(|fault| format!("the host name `{name}` cannot be resolved: {fault}"))?.collect();
        found
            .iter()
            .find(|address| address.is_ipv4())
            .or(found.first())
            .copied()
            .ok_or_else(|| format!("the host name `{name}` has no address"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_read_with_their_port() {
        for (text, resolved) in [
            ("127.0.0.1:9090", "127.0.0.1:9090"),
            ("[::1]:9090", "[::1]:9090"),
            ("0.0.0.0:0", "0.0.0.0:0"),
            ("localhost:9090", "127.0.0.1:9090"),
        ] {
            let listen: Listen = text.parse().unwrap();
            assert_eq!(listen.resolve(), Ok(resolved.parse().unwrap()), "{text}");
        }
        for text in
            ["", "localhost", ":9090", "localhost:", "localhost:65536", "http://localhost:80", "::1:80x"]
        {
            assert!(text.parse::<Listen>().unwrap_err().contains("localhost:8080"), "{text}");
        }
    }

    #[test]
    fn a_name_that_nobody_knows_is_named() {
        // `.invalid` is reserved for names that are never resolved.
        let listen: Listen = "nowhere.invalid:80".parse().unwrap();
        assert!(listen.resolve().unwrap_err().contains("`nowhere.invalid` cannot be resolved"));
    }
}
