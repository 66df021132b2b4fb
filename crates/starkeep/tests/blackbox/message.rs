//! One HTTP/1.1 message as bytes, read off a stream: enough of the protocol to stand between two services.
//! Bodies are delimited by `content-length`, which is all that the two services send each other.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

#[derive(Clone, Debug)]
pub(crate) struct Message {
    bytes: Vec<u8>,
    head: usize,
}

impl Message {
    /// `None` where the stream ends instead of a next message.
    pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return if bytes.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        };
        let length = head + content_length(&bytes[..head]);
        while bytes.len() < length {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        assert_eq!(bytes.len(), length, "nobody sends a second message before the first is answered");
        Ok(Some(Self { bytes, head }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The head and half of the body.
    pub(crate) fn half(&self) -> &[u8] {
        &self.bytes[..usize::midpoint(self.head, self.bytes.len())]
    }

    /// Null where the body is empty.
    pub(crate) fn json(&self) -> Value {
        let body = &self.bytes[self.head..];
        if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap() }
    }

    pub(crate) fn method(&self) -> &str {
        self.word(0)
    }

    pub(crate) fn path(&self) -> &str {
        self.word(1)
    }

    /// Does it ask for a stream of events?
    pub(crate) fn is_stream(&self) -> bool {
        let head = str::from_utf8(&self.bytes[..self.head]).unwrap().to_ascii_lowercase();
        self.path().starts_with("/events") && !head.contains("application/json")
    }

    pub(crate) fn status(&self) -> u16 {
        self.word(1).parse().unwrap()
    }

    fn word(&self, number: usize) -> &str {
        let head = str::from_utf8(&self.bytes[..self.head]).unwrap();
        head.split([' ', '\r']).nth(number).unwrap()
    }
}

fn content_length(head: &[u8]) -> usize {
    let head = str::from_utf8(head).unwrap();
    let fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let length = fields.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.map_or(0, |(_, value)| value.trim().parse().unwrap())
}
