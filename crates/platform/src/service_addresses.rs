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
    /// The game service for a client that reaches it under this `Host`: as it was configured, otherwise just so. In between there may be
    /// another port, or another name, than the one at which it listens.
    pub fn game_as_reached(&self, host: Option<&str>) -> String {
        match (&self.game, host.filter(|host| is_plain(host))) {
            (ServiceAddress::Listening(_), Some(host)) => format!("http://{host}"),
            (address, _) => address.told_to(None),
        }
    }

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

/// A host's name may come from anybody and is repeated in pages, also in what is copied into a shell.
pub(crate) fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._:[]".contains(c))
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

    #[test]
    fn the_game_service_is_reached_where_it_was_unless_an_address_is_configured() {
        let game = |game: ServiceAddress| ServiceAddresses { game, map: None, robot: None, trading: None };
        let listening = game(ServiceAddress::Listening("0.0.0.0:8080".parse().unwrap()));
        for (host, address) in [
            (Some("games.example:9000"), "http://games.example:9000"),
            (Some("games.example"), "http://games.example"),
            (Some("a\"b"), "http://127.0.0.1:8080"),
            (None, "http://127.0.0.1:8080"),
        ] {
            assert_eq!(listening.game_as_reached(host), address, "{host:?}");
        }
        let configured = game(ServiceAddress::Configured("https://games.example".to_owned()));
        assert_eq!(configured.game_as_reached(Some("box:1")), "https://games.example");
    }
}
