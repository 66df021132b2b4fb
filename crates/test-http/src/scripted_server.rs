//! A server that a test scripts step by step: it accepts connections, and sends bytes when the test says so.

use std::net::SocketAddr;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use crate::message::Message;
use crate::time_limit::within_limit;

pub struct ScriptedServer {
    listener: TcpListener,
}

/// A connection with its last request.
pub struct Connection {
    socket: TcpStream,
    pub request: Message,
}

impl ScriptedServer {
    pub async fn start() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap()).await
    }

    pub async fn at(address: SocketAddr) -> Self {
        Self { listener: TcpListener::bind(address).await.unwrap() }
    }

    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The next one, once its request has come.
    pub async fn connection(&self) -> Connection {
        let (mut socket, _) = within_limit("a connection", self.listener.accept()).await.unwrap();
        let request = read_request(&mut socket).await;
        Connection { socket, request }
    }

    /// Nobody has connected who is not known yet.
    pub fn expect_nobody_else(self) {
        let another = self.listener.into_std().unwrap().accept();
        assert!(another.is_err_and(|fault| fault.kind() == std::io::ErrorKind::WouldBlock));
    }
}

impl Connection {
    /// Another request on the same connection.
    pub async fn read_request(&mut self) {
        self.request = read_request(&mut self.socket).await;
    }

    pub async fn send(&mut self, text: &str) {
        self.socket.write_all(text.as_bytes()).await.unwrap();
    }

    /// The same text again and again, until the client has closed the connection.
    pub async fn send_endlessly(&mut self, text: &str) {
        while self.socket.write_all(text.as_bytes()).await.is_ok() {}
    }

    /// A whole answer with further headers, each on a line of its own.
    pub async fn answer(&mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(&format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")).await;
    }

    /// The head of a stream that lasts until the connection ends.
    pub async fn begin_stream(&mut self) {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await;
    }
}

async fn read_request(socket: &mut TcpStream) -> Message {
    let request = within_limit("a request", Message::read(socket)).await.unwrap();
    request.expect("a request comes before the connection ends")
}
