//! One HTTP/1.1 message as bytes, read off a stream: enough of the protocol to stand at either end of a connection, or in between.
//! Bodies are delimited by `content-length`, which is all that our clients and services send each other.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A request or an answer.
#[derive(Clone, Debug)]
pub struct Message {
    bytes: Vec<u8>,
    head: usize,
}

impl Message {
    /// `None` where the stream ends instead of a next message.
    pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return if bytes.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        };
        let mut message = Self { bytes, head };
        let length = head + message.header("content-length").map_or(0, |length| length.parse().unwrap());
        while message.bytes.len() < length {
            if stream.read_buf(&mut message.bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        assert_eq!(message.bytes.len(), length, "nobody sends a second message before the first is answered");
        Ok(Some(message))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The head and half of the body.
    pub fn half(&self) -> &[u8] {
        &self.bytes[..usize::midpoint(self.head, self.bytes.len())]
    }

    pub fn body(&self) -> &str {
        str::from_utf8(&self.bytes[self.head..]).unwrap()
    }

    /// Null where the body is empty.
    pub fn json(&self) -> Value {
        if self.body().is_empty() { Value::Null } else { serde_json::from_str(self.body()).unwrap() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head().lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut found = fields.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }

    /// Of a request, as in `GET /events?after=start`.
    pub fn line(&self) -> &str {
        self.head().lines().next().unwrap().strip_suffix(" HTTP/1.1").unwrap()
    }

    pub fn method(&self) -> &str {
        self.word(0)
    }

    pub fn path_and_query(&self) -> &str {
        self.word(1)
    }

    /// Of an answer.
    pub fn status(&self) -> u16 {
        self.word(1).parse().unwrap()
    }

    /// Does it ask for a stream of events?
    pub fn is_stream(&self) -> bool {
        let accepts_json =
            self.header("accept").is_some_and(|accepted| accepted.contains("application/json"));
        self.path_and_query().starts_with("/events") && !accepts_json
    }

    fn word(&self, number: usize) -> &str {
        self.head().split([' ', '\r']).nth(number).unwrap()
    }

    fn head(&self) -> &str {
        str::from_utf8(&self.bytes[..self.head]).unwrap()
    }
}
