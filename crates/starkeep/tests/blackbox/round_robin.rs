//! A round-robin in front of the replicas of a service, run by the test: each request goes to the next of them, also those that come
//! over one connection. A replica that refuses the connection is passed over; a request that was sent is never sent again.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use starkeep_test_http::Message;
use tokio::io::{AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use crate::closable_port::ClosablePort;

pub(crate) struct RoundRobin {
    port: ClosablePort,
    replicas: Arc<Replicas>,
}

#[derive(Default)]
struct Replicas {
    addresses: Mutex<Vec<SocketAddr>>,
    requests: Mutex<usize>,
}

impl RoundRobin {
    pub(crate) fn new() -> Self {
        let replicas = Arc::<Replicas>::default();
        let served = replicas.clone();
        Self { port: ClosablePort::attended(move |client| served.clone().attend(client)), replicas }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// The replicas that there are from now on.
    pub(crate) fn lead_to(&self, addresses: Vec<SocketAddr>) {
        *self.replicas.addresses.lock().unwrap() = addresses;
    }
}

impl Replicas {
    async fn attend(self: Arc<Self>, mut client: TcpStream) -> io::Result<()> {
        while let Some(request) = Message::read(&mut client).await? {
            let mut replica = self.next().await?;
            replica.write_all(request.bytes()).await?;
            if request.is_stream() {
                copy_bidirectional(&mut client, &mut replica).await?;
                return Ok(());
            }
            let answer = Message::read(&mut replica).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
            client.write_all(answer.bytes()).await?;
        }
        Ok(())
    }

    async fn next(&self) -> io::Result<TcpStream> {
        let addresses = self.addresses.lock().unwrap().clone();
        for _ in &addresses {
            let number = {
                let mut requests = self.requests.lock().unwrap();
                *requests += 1;
                *requests
            };
            if let Ok(connection) = TcpStream::connect(addresses[number % addresses.len()]).await {
                return Ok(connection);
            }
        }
        Err(io::ErrorKind::ConnectionRefused.into())
    }
}
