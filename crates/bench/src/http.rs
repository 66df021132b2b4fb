//! As much HTTP/1.1 as measuring needs: requests as bytes, answers by content-length, one blocking exchange.
//! Anything else that a server may send, such as chunks, is refused.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::failure::{During, Failure};

const READ_TIMEOUT: Duration = Duration::from_mins(2);

/// A complete answer at the start of a buffer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) content_type: &'a str,
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// A failure that shows the answer, unless it has this status.
    pub(crate) fn must_be(&self, expected: u16) -> Result<(), Failure> {
        if self.status == expected {
            return Ok(());
        }
        Err(Failure::new(format!("expected {expected}, got {}", self.shown())))
    }

    /// The status and the start of the body, for a person.
    pub(crate) fn shown(&self) -> String {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(500)]);
        format!("{} {body}", self.status)
    }
}

/// The answer at the start of `bytes`, or `None` while some of it is still on its way.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Answer<'_>>, Failure> {
    let Some(head_length) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = str::from_utf8(&bytes[..head_length]).during("the head of an answer")?;
    let mut lines = head.split("\r\n");
    let status_line = lines.next().unwrap_or_default();
    let status = status_line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| Failure::new(format!("no HTTP/1.1 status line: {status_line}")))?;

    let mut length = None;
    let mut content_type = "";
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<usize>().during("content-length")?);
        } else if name.eq_ignore_ascii_case("content-type") {
            content_type = value.trim();
        }
    }
    // An answer without content has no length either.
    let length = if status == 204 { Some(0) } else { length };
    let length = length.ok_or_else(|| Failure::new(format!("an answer without content-length:\n{head}")))?;
    let body = bytes.get(head_length + 4..head_length + 4 + length);
    Ok(body.map(|body| Answer { status, content_type, body }))
}

/// Where the service of this URL listens.
pub(crate) fn address_of(url: &str) -> Result<SocketAddr, Failure> {
    url.trim_start_matches("http://").trim_end_matches('/').parse().during(url)
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: application/json\r\n\r\n").into_bytes()
}

pub(crate) fn get_stream(address: SocketAddr, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n\r\n").into_bytes()
}

pub(crate) fn post(address: SocketAddr, path: &str, json: &str) -> Vec<u8> {
    with_body("POST", address, path, json)
}

pub(crate) fn put(address: SocketAddr, path: &str, json: &str) -> Vec<u8> {
    with_body("PUT", address, path, json)
}

pub(crate) fn patch(address: SocketAddr, path: &str, json: &str) -> Vec<u8> {
    with_body("PATCH", address, path, json)
}

pub(crate) fn delete(address: SocketAddr, path: &str) -> Vec<u8> {
    format!("DELETE {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").into_bytes()
}

/// The request with a further header.
pub(crate) fn with_header(mut request: Vec<u8>, name: &str, value: &str) -> Vec<u8> {
    let line_end = request.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    request.splice(line_end..line_end, format!("{name}: {value}\r\n").into_bytes());
    request
}

fn with_body(method: &str, address: SocketAddr, path: &str, json: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\naccept: application/json\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{json}",
        json.len()
    )
    .into_bytes()
}

/// One request on a connection of its own; `accept` makes of the answer what the caller wants.
/// Any status but `expected` is a failure that shows the answer.
pub(crate) fn exchange<T>(
    address: SocketAddr,
    request: &[u8],
    expected: u16,
    accept: impl FnOnce(&Answer<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let request_line =
        String::from_utf8_lossy(request.split(|byte| *byte == b'\r').next().unwrap_or_default());
    let bytes = received(address, request).during(&request_line)?;
    let answer = parse(&bytes)?.ok_or_else(|| {
        Failure::new(format!("{request_line}: the connection was closed within the answer"))
    })?;
    answer.must_be(expected).and_then(|()| accept(&answer)).during(&request_line)
}

fn received(address: SocketAddr, request: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut stream = TcpStream::connect(address).during("connecting")?;
    stream.set_read_timeout(Some(READ_TIMEOUT)).during("connecting")?;
    stream.write_all(request).during("sending")?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while parse(&bytes)?.is_none() {
        match stream.read(&mut chunk).during("receiving")? {
            0 => break,
            count => bytes.extend_from_slice(&chunk[..count]),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATED: &[u8] =
        b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"left\": 7}";

    #[test]
    fn a_whole_answer_is_read_by_its_content_length() {
        let answer = parse(CREATED).unwrap();
        assert_eq!(
            answer,
            Some(Answer { status: 201, content_type: "application/json", body: b"{\"left\": 7}" })
        );
    }

    #[test]
    fn an_answer_split_anywhere_is_waited_for() {
        for end in 0..CREATED.len() {
            assert_eq!(parse(&CREATED[..end]).unwrap(), None, "after {end} bytes");
        }
    }

    #[test]
    fn bytes_after_the_answer_are_not_its_body() {
        let with_more = [CREATED, b"HTTP/1.1 200"].concat();
        assert_eq!(parse(&with_more).unwrap(), parse(CREATED).unwrap());
    }

    #[test]
    fn a_further_header_is_the_first_one() {
        let request = post(SocketAddr::from(([127, 0, 0, 1], 7)), "/games", "{}");
        let request = with_header(request, "authorization", "Bearer secret");
        let text = String::from_utf8(request).unwrap();
        assert!(
            text.starts_with("POST /games HTTP/1.1\r\nauthorization: Bearer secret\r\nhost: 127.0.0.1:7\r\n"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_body_is_an_answer() {
        let answer = parse(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").unwrap();
        assert_eq!(answer, Some(Answer { status: 404, content_type: "", body: b"" }));
    }

    #[test]
    fn chunks_and_other_protocols_are_refused() {
        let chunked = parse(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n");
        assert!(chunked.unwrap_err().to_string().contains("without content-length"));
        assert!(parse(b"SSH-2.0-OpenSSH\r\n\r\n").is_err());
        assert!(parse(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n").is_err());
    }
}
