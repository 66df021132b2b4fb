//! An address that can be opened: nobody can open 0.0.0.0, on which a service listens that others are to reach.
//! Browsers on other machines need the machine's own address; calls from here need none but loopback.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Of a service that listens everywhere, the machine's own address.
pub(crate) fn openable(listening: SocketAddr) -> SocketAddr {
    if !listening.ip().is_unspecified() {
        return listening;
    }
    let own = match listening {
        SocketAddr::V4(_) => own_address(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into()),
        SocketAddr::V6(_) => {
            let documentation = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
            // Who listens on all addresses of IPv6 is usually reached over IPv4, too.
            own_address(Ipv6Addr::UNSPECIFIED.into(), documentation.into())
                .or_else(|| own_address(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into()))
        }
    };
    SocketAddr::new(own.unwrap_or(Ipv4Addr::LOCALHOST.into()), listening.port())
}

/// A service that listens everywhere is reached from here over loopback.
pub(super) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// From which packets to an address far away would be sent. Nothing is sent: a connected UDP socket only chooses a route.
fn own_address(any: IpAddr, far_away: IpAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((far_away, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_can_be_opened_stays_and_any_other_becomes_one() {
        for address in ["127.0.0.1:8080", "[::1]:8080", "192.0.2.7:80"] {
            let address: SocketAddr = address.parse().unwrap();
            assert_eq!(openable(address), address);
        }
        for everywhere in ["0.0.0.0:8080", "[::]:8080"] {
            let shown = openable(everywhere.parse().unwrap());
            assert!(!shown.ip().is_unspecified(), "{shown}");
            assert_eq!(shown.port(), 8080);
        }
    }
}
