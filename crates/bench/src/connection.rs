//! A keep-alive connection of a client that does one thing after the other.
//! Requests on several connections may be under way at once: what was sent is received later.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::failure::{During, Failure};
use crate::http;

const READ_TIMEOUT: Duration = Duration::from_mins(2);

pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).during("connecting")?;
        stream.set_nodelay(true).during("connecting")?;
        stream.set_read_timeout(Some(READ_TIMEOUT)).during("connecting")?;
        Ok(Self { stream, received: Vec::new() })
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(request).during("sending")
    }

    /// The body of the next answer; any status but `expected` is a failure that shows the answer.
    pub(crate) fn receive(&mut self, expected: u16) -> Result<Vec<u8>, Failure> {
        self.received.clear();
        loop {
            if let Some(answer) = http::parse(&self.received)? {
                answer.must_be(expected)?;
                return Ok(answer.body.to_vec());
            }
            self.read_more()?;
        }
    }

    /// The answer's JSON.
    pub(crate) fn exchange<T: DeserializeOwned>(
        &mut self,
        request: &[u8],
        expected: u16,
    ) -> Result<T, Failure> {
        self.send(request)?;
        serde_json::from_slice(&self.receive(expected)?).during("reading an answer")
    }

    /// The next line of an answer without end, without its end of line.
    pub(crate) fn line(&mut self) -> Result<String, Failure> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(&self.received[..end]).trim_end().to_owned();
                self.received.drain(..=end);
                return Ok(line);
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> Result<(), Failure> {
        let mut chunk = [0; 16 * 1024];
        match self.stream.read(&mut chunk).during("receiving")? {
            0 => Err(Failure::new("the server closed a connection that was waiting for its answer")),
            count => {
                self.received.extend_from_slice(&chunk[..count]);
                Ok(())
            }
        }
    }
}
