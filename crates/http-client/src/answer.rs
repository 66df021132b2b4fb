//! A complete answer, whatever its status, and how its content is read.
//! What it means is up to the caller.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Refusal};

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    /// The content of a success, as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|fault| Failure::Unreadable(fault.to_string()))
    }

    pub fn into_success(self) -> Result<Self, Failure> {
        if self.status.is_success() { Ok(self) } else { Err(Failure::Refused(Box::new(self.into_refusal()))) }
    }

    pub fn into_refusal(self) -> Refusal {
        Refusal::new(self.status, &self.headers, self.body)
    }
}
