//! Warns once of a broker that is older than the program is made for.
//! The release shows in the requests that a broker knows. The library asks for these itself, but does not say what it was
//! told; so they are asked for here, by Kafka's own request for that.

use std::io::{Error, ErrorKind, Result};
use std::sync::atomic::Ordering;

use futures::future::{FutureExt as _, select_ok};
use starkeep_platform::clock::within;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::{Kafka, REQUEST_TIMEOUT};

/// `ApiVersions` in its first version, which every broker since 0.10 answers: the length of the rest, the number of the request,
/// its version, a correlation id, and the client's name after its length.
const WHICH_REQUESTS: &[u8] = b"\0\0\0\x12\0\x12\0\0\0\0\0\0\0\x08starkeep";
/// In bytes, of which each request takes six: more than ten times what any broker answers.
const LONGEST_ANSWER: i32 = 10_000;

/// Requests are numbered as they are introduced. This one came with Kafka 2.2.
const FIRST_OF_2_2: i16 = 43;
const FETCH: i16 = 1;
/// With which version of the request `Fetch` each release came; the newest is on top.
const RELEASES: [(i16, &str); 6] = [(9, "2.1"), (8, "2.0"), (7, "1.1"), (6, "1.0"), (4, "0.11"), (0, "0.10")];

/// A request that a broker knows, up to this version.
#[derive(Clone, Copy, Debug)]
struct Known {
    request: i16,
    version: i16,
}

impl Kafka {
    /// Asks until a broker has answered once: where none can be reached, it is done again the next time.
    pub(crate) async fn warn_if_too_old(&self) {
        if self.release_known.load(Ordering::Relaxed) {
            return;
        }
        let asked = self.servers.split(',').map(|server| which_requests(server.trim()).boxed());
        let Some(Ok((known, _))) = within(&*self.clock, REQUEST_TIMEOUT, select_ok(asked)).await else {
            return;
        };
        // Several tasks ask at the same time.
        if self.release_known.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(release) = too_old(&known) {
            let broker = &self.servers;
            tracing::warn!(
                "the broker at {broker} is of Kafka {release}; Starkeep is made for Kafka 2.2 and newer"
            );
        }
    }
}

async fn which_requests(server: &str) -> Result<Vec<Known>> {
    let mut broker = TcpStream::connect(server).await?;
    broker.write_all(WHICH_REQUESTS).await?;
    let length = broker.read_i32().await?;
    if !(10..=LONGEST_ANSWER).contains(&length) {
        return Err(Error::new(ErrorKind::InvalidData, "not Kafka's answer"));
    }
    let _correlation = broker.read_i32().await?;
    let _error = broker.read_i16().await?;
    let count = broker.read_i32().await?;
    let mut known = Vec::new();
    // An answer that ends before all of them were read is an error as well.
    for _ in 0..count.min(length) {
        let request = broker.read_i16().await?;
        let _oldest = broker.read_i16().await?;
        known.push(Known { request, version: broker.read_i16().await? });
    }
    Ok(known)
}

/// The release, if it is older than the program is made for. None also where the answer does not tell.
fn too_old(known: &[Known]) -> Option<&'static str> {
    if known.iter().any(|known| known.request >= FIRST_OF_2_2) {
        return None;
    }
    let fetch = known.iter().find(|known| known.request == FETCH)?;
    RELEASES.iter().find(|(version, _)| fetch.version >= *version).map(|(_, release)| *release)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use starkeep_platform::clock::ManualClock;
    use tokio::net::TcpListener;

    use super::*;

    /// The highest number of a request, and the newest version of `Fetch`, of every release.
    const KAFKAS: [(i16, i16, Option<&str>); 11] = [
        (18, 2, Some("0.10")),
        (20, 3, Some("0.10")),
        (33, 5, Some("0.11")),
        (37, 6, Some("1.0")),
        (42, 7, Some("1.1")),
        (42, 8, Some("2.0")),
        (42, 10, Some("2.1")),
        (43, 10, None),
        (44, 11, None),
        (47, 11, None),
        (92, 18, None),
    ];

    /// As a broker answers that knows all requests up to this one.
    fn answer(highest: i16, fetch: i16) -> Vec<u8> {
        let mut body = [0_i32.to_be_bytes().as_slice(), &0_i16.to_be_bytes()].concat();
        body.extend(i32::from(highest + 1).to_be_bytes());
        for request in 0..=highest {
            let newest = if request == FETCH { fetch } else { 1 };
            body.extend([request, 0, newest].into_iter().flat_map(i16::to_be_bytes));
        }
        [u32::try_from(body.len()).unwrap().to_be_bytes().as_slice(), &body].concat()
    }

    /// Answers one client, whatever it asks.
    async fn answer_one(broker: &TcpListener, answer: &[u8]) {
        let (mut client, _) = broker.accept().await.unwrap();
        client.read_exact(&mut [0; WHICH_REQUESTS.len()]).await.unwrap();
        client.write_all(answer).await.unwrap();
    }

    #[tokio::test]
    async fn the_release_shows_in_the_requests_that_a_broker_knows() {
        let broker = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = broker.local_addr().unwrap().to_string();
        for (highest, fetch, release) in KAFKAS {
            let answer = answer(highest, fetch);
            let (known, ()) = tokio::join!(which_requests(&address), answer_one(&broker, &answer));
            assert_eq!(too_old(&known.unwrap()), release, "{highest}, {fetch}");
        }
    }

    #[tokio::test]
    async fn what_answers_something_else_is_no_broker_of_any_release() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr().unwrap().to_string();
        let whole = answer(42, 10);
        for said in [b"HTTP/1.1 400 Bad Request\r\n\r\n", &[][..], &[0; 64], &whole[..whole.len() - 1]] {
            let (known, ()) = tokio::join!(which_requests(&address), answer_one(&server, said));
            assert!(known.is_err(), "{said:?}");
        }
    }

    #[tokio::test]
    async fn a_broker_that_does_not_answer_is_asked_again_and_one_that_has_answered_is_not() {
        let broker = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let servers = format!("127.0.0.1:1,{}", broker.local_addr().unwrap());
        // No attempt runs out of time, however long a busy machine takes.
        let kafka = Kafka::at(&servers, ManualClock::new(Timestamp::UNIX_EPOCH));
        for answer in [vec![], answer(42, 10)] {
            assert!(!kafka.release_known.load(Ordering::Relaxed));
            tokio::join!(kafka.warn_if_too_old(), answer_one(&broker, &answer));
        }
        assert!(kafka.release_known.load(Ordering::Relaxed));
        kafka.warn_if_too_old().await;
        assert!(broker.accept().now_or_never().is_none(), "nobody asks any longer");
    }
}
