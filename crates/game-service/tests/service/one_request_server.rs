//! A server on a real socket: it reads one request, answers with the bytes it was given, and closes the connection.
//! What the answer ought to mean is for the tests to say.

use std::io::ErrorKind;

use bytes::BytesMut;
use http::Method;
use serde_json::Value;
use starkeep_game_service::{HttpExecutor, ServiceToken, ServiceUrl};
use starkeep_platform::clock::SystemClock;
use starkeep_platform::http::auth::AdminToken;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What is sent back, byte for byte.
#[derive(Debug)]
pub(crate) enum Answer {
    Text(String),
    /// How it begins, and what follows until the connection is closed.
    Endless(String, &'static str),
}

pub(crate) struct OneRequestServer {
    pub(crate) url: String,
    serving: JoinHandle<(TcpListener, ReceivedRequest)>,
}

pub(crate) struct ReceivedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl OneRequestServer {
    pub(crate) async fn new(answer: Answer) -> Self {
        let (listener, url) = listen().await;
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let request = read_request(&mut stream).await;
            write_answer(&mut stream, answer).await;
            (listener, request)
        });
        Self { url, serving }
    }

    /// An executor at a port that is closed.
    pub(crate) async fn closed() -> HttpExecutor {
        let (listener, url) = listen().await;
        drop(listener);
        executor(&url)
    }

    pub(crate) fn executor(&self) -> HttpExecutor {
        executor(&self.url)
    }

    /// An executor that is shown this token.
    pub(crate) fn executor_shown(&self, token: &str) -> HttpExecutor {
        with_token(&self.url, &AdminToken::new(Some(token.to_owned())))
    }

    /// The one request that has come.
    pub(crate) async fn received(self) -> ReceivedRequest {
        let (listener, request) = self.serving.await.expect("it has answered");
        let another = listener.into_std().expect("a socket").accept();
        assert_eq!(another.expect_err("only one connection comes").kind(), ErrorKind::WouldBlock);
        request
    }
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body of JSON")
    }
}

/// A socket at a free port, and its address.
pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, url)
}

fn executor(url: &str) -> HttpExecutor {
    with_token(url, &AdminToken::default())
}

fn with_token(url: &str, token: &AdminToken) -> HttpExecutor {
    let token = ServiceToken::of_ours(token);
    HttpExecutor::new(ServiceUrl::parse(url).expect("the address of a service"), token, SystemClock::start())
}

async fn read_request(stream: &mut TcpStream) -> ReceivedRequest {
    let mut bytes = BytesMut::new();
    loop {
        let read = stream.read_buf(&mut bytes).await.expect("a request arrives");
        let text = std::str::from_utf8(&bytes).expect("a request of plain text");
        if let Some(request) = text.split_once("\r\n\r\n").and_then(|(head, body)| complete(head, body)) {
            return request;
        }
        assert_ne!(read, 0, "half a request: {text}");
    }
}

/// The request, once its body is as long as it was announced.
fn complete(head: &str, body: &str) -> Option<ReceivedRequest> {
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let method = Method::from_bytes(first.next()?.as_bytes()).expect("a method");
    let path = first.next()?.to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let request = ReceivedRequest { method, path, headers, body: body.to_owned() };
    let length = request.header("content-length").map_or(0, |length| length.parse().expect("a length"));
    (body.len() == length).then_some(request)
}

async fn write_answer(stream: &mut TcpStream, answer: Answer) {
    match answer {
        Answer::Text(text) => stream.write_all(text.as_bytes()).await.expect("the client is connected"),
        Answer::Endless(begin, more) => {
            stream.write_all(begin.as_bytes()).await.expect("the client is connected");
            while stream.write_all(more.as_bytes()).await.is_ok() {}
        }
    }
}
