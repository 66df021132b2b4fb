//! A server that a test scripts: it accepts connections and sends bytes when the test says so.
//! Every wait has a limit far longer than anything takes, so that a test fails instead of hanging.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use starkeep_clock::{SystemClock, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Server {
    listener: TcpListener,
}

/// A connection with its one request.
pub(crate) struct Connection {
    socket: TcpStream,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) async fn within_limit<T>(future: impl Future<Output = T>) -> T {
    let outcome = within(&*SystemClock::start(), Duration::from_mins(1), future).await;
    outcome.expect("waited in vain")
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap()).await
    }

    pub(crate) async fn at(address: SocketAddr) -> Self {
        Self { listener: TcpListener::bind(address).await.unwrap() }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    pub(crate) async fn connection(&self) -> Connection {
        let (socket, _) = within_limit(self.listener.accept()).await.unwrap();
        let mut connection = Connection { socket, head: String::new(), body: String::new() };
        connection.read_request().await;
        connection
    }
}

impl Connection {
    /// Another request on the same connection.
    pub(crate) async fn read_request(&mut self) {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8(bytes.clone()).unwrap();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                head.clone_into(&mut self.head);
                body.clone_into(&mut self.body);
                let length = self.header("content-length").map_or(0, |length| length.parse().unwrap());
                if body.len() >= length {
                    return;
                }
            }
            let read = within_limit(self.socket.read_buf(&mut bytes)).await.unwrap();
            assert!(read > 0, "the request was cut off: {text}");
        }
    }

    /// As in `GET /events`.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap().strip_suffix(" HTTP/1.1").unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        headers.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.socket.write_all(text.as_bytes()).await.unwrap();
    }

    /// A whole answer with further headers, each on a line of its own.
    pub(crate) async fn answer(&mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(&format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")).await;
    }

    /// The head of a stream that lasts until the connection ends.
    pub(crate) async fn begin_stream(&mut self) {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await;
    }
}
