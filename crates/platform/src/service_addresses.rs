//! Where clients find the services: as it was configured, or where a service listens. One that listens everywhere is found
//! under the name that the client itself has used for this one.

use std::net::SocketAddr;

use starkeep_contract::services::Services;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAddress {
    /// As it was configured.
    Configured(String),
    /// A service of this process.
    Listening(SocketAddr),
}

/// Where each service is. The game service tells it at `GET /services`; the pages of all link to one another by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAddresses {
    pub game: ServiceAddress,
    pub map: Option<ServiceAddress>,
    pub robot: Option<ServiceAddress>,
    pub trading: Option<ServiceAddress>,
}

impl ServiceAddresses {
    /// `host` is the request's: a name or an address, with or without a port.
    pub fn told_to(&self, host: Option<&str>) -> Services {
        let told = |address: &ServiceAddress| address.told_to(host);
        Services {
            game: told(&self.game),
            map: self.map.as_ref().map(told),
            robot: self.robot.as_ref().map(told),
            trading: self.trading.as_ref().map(told),
        }
    }
}

impl ServiceAddress {
    fn told_to(&self, host: Option<&str>) -> String {
        match self {
            Self::Configured(url) => url.clone(),
            Self::Listening(address) if address.ip().is_unspecified() => {
                let loopback = if address.is_ipv4() { "127.0.0.1" } else { "[::1]" };
                let name = host.map(without_port).filter(|name| !name.is_empty()).unwrap_or(loopback);
                format!("http://{name}:{}", address.port())
            }
            Self::Listening(address) => format!("http://{address}"),
        }
    }
}

/// An IPv6 address has colons of its own, in brackets.
fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_listens_everywhere_is_found_under_the_name_that_the_client_used() {
        let listening = |address: &str| ServiceAddress::Listening(address.parse().unwrap());
        let everywhere = listening("0.0.0.0:8082");
        for (host, told) in [
            (Some("games.example:8080"), "http://games.example:8082"),
            (Some("games.example"), "http://games.example:8082"),
            (Some("[::1]:8080"), "http://[::1]:8082"),
            (Some("[::1]"), "http://[::1]:8082"),
            (None, "http://127.0.0.1:8082"),
        ] {
            assert_eq!(everywhere.told_to(host), told);
        }
        assert_eq!(listening("[::]:8082").told_to(Some("box:1")), "http://box:8082");
        assert_eq!(listening("127.0.0.1:8082").told_to(Some("box:1")), "http://127.0.0.1:8082");
        let configured = ServiceAddress::Configured("http://robots.example".to_owned());
        assert_eq!(configured.told_to(Some("box:1")), "http://robots.example");
    }
}
