//! A port of this machine for a program that is started, killed and started again there: nobody else gets it meanwhile.
//! What listens there is its user's; while nothing does, connections are refused.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// Given back when it is dropped.
#[derive(Debug)]
pub struct KeptPort {
    address: SocketAddr,
    _socket: Option<TcpSocket>,
}

impl KeptPort {
    pub fn new() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let address = socket.local_addr()?;
        // Bound and not listening. On Linux a program that sets SO_REUSEADDR, as all do that are started here, can listen there all the
        // same, and the port is given neither to somebody who asks for any port nor to an outgoing connection. Elsewhere it could not.
        Ok(Self { address, _socket: cfg!(target_os = "linux").then_some(socket) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn its_user_listens_there_again_and_again_and_nobody_else_gets_it() {
        let kept = KeptPort::new().unwrap();
        for _ in 0..2 {
            assert!(TcpStream::connect(kept.address()).is_err(), "nobody listens");
            let somebody_else = TcpSocket::new_v4().unwrap();
            let refusal = somebody_else.bind(kept.address()).unwrap_err();
            assert_eq!(refusal.kind(), io::ErrorKind::AddrInUse);
            let user = TcpListener::bind(kept.address()).unwrap();
            TcpStream::connect(kept.address()).unwrap();
            drop(user);
        }
    }
}
