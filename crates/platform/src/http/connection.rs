//! What is known of the connection that a request came over: who is at its other end, and how much it may send.
//! Handlers run within the task of their connection, so that none of this has to travel with each request.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// What a body may take, whatever its endpoint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// In bytes.
    pub largest: usize,
    /// A body that is not complete after this long is given up.
    pub arrival: Duration,
}

impl Default for BodyLimits {
    /// The largest body that any endpoint takes is a batch of trades.
    fn default() -> Self {
        Self { largest: 64 * 1024 * 1024, arrival: Duration::from_secs(30) }
    }
}

/// Of the connection whose task runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connection {
    /// The address at its other end; none where a request came over no connection, as in tests.
    pub peer: Option<IpAddr>,
    pub body: BodyLimits,
}

tokio::task_local! {
    static CURRENT: Connection;
}

impl Connection {
    /// Whatever runs within the future is told of this connection.
    pub(super) fn around<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// That of the request which is answered now.
    pub fn current() -> Self {
        CURRENT.try_with(|connection| *connection).unwrap_or_default()
    }
}

/// Who says where a client is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressFrom {
    /// The connection: clients connect to the service itself.
    #[default]
    Connection,
    /// The reverse proxy in front, with the last address in `X-Forwarded-For`: it has added that one itself.
    Proxy,
}

/// The address of the client whose request is answered now.
pub fn client_address(headers: &HeaderMap, from: AddressFrom) -> Option<IpAddr> {
    let forwarded = match from {
        AddressFrom::Connection => None,
        AddressFrom::Proxy => forwarded_for(headers),
    };
    forwarded.or_else(|| Connection::current().peer)
}

fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let list = headers.get_all(FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
    list.rsplit(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn forwarded(lists: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for list in lists {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(list));
        }
        headers
    }

    #[tokio::test]
    async fn a_proxy_is_believed_what_it_has_added_and_only_where_there_is_one() {
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        let connection = Connection { peer: Some(peer), ..Connection::default() };
        let told =
            |headers: HeaderMap, from| connection.around(async move { client_address(&headers, from) });
        let claimed = ["1.1.1.1, 2.2.2.2", "3.3.3.3, 4.4.4.4"];
        assert_eq!(told(forwarded(&claimed), AddressFrom::Connection).await, Some(peer));
        assert_eq!(told(forwarded(&claimed), AddressFrom::Proxy).await, "4.4.4.4".parse().ok());
        assert_eq!(told(forwarded(&["2001:db8::1"]), AddressFrom::Proxy).await, "2001:db8::1".parse().ok());
        for unreadable in [&["nobody"] as &[_], &[""], &[]] {
            assert_eq!(told(forwarded(unreadable), AddressFrom::Proxy).await, Some(peer), "{unreadable:?}");
        }
        assert_eq!(client_address(&forwarded(&claimed), AddressFrom::Connection), None);
    }
}
