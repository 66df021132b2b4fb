//! The token that opens our own executors. It is shown to a service only when that is known to be one of ours: the host's
//! secret is none of the business of the existing robot and trading services.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use starkeep_http_client::{Caller, Token};
use starkeep_platform::http::auth::AdminToken;

/// Clones belong to the same service.
#[derive(Clone)]
pub struct ServiceToken {
    token: Option<Token>,
    is_ours: Arc<AtomicBool>,
}

impl ServiceToken {
    /// Of a service of this process.
    pub fn of_ours(token: &AdminToken) -> Self {
        Self { token: token.secret().map(Token::new), is_ours: Arc::new(AtomicBool::new(true)) }
    }

    /// Of a service that has yet to say that it is one of ours.
    pub fn of_other(token: &AdminToken) -> Self {
        let unknown = Self::of_ours(token);
        unknown.is_ours.store(false, Ordering::Relaxed);
        unknown
    }

    /// What the service has said of itself.
    pub(super) fn learn(&self, is_ours: bool) {
        self.is_ours.store(is_ours, Ordering::Relaxed);
    }

    /// Has the service said that it is one of ours?
    pub(super) fn is_of_ours(&self) -> bool {
        self.is_ours.load(Ordering::Relaxed)
    }

    /// The caller, who shows the token where it may be shown.
    pub(super) fn shown_by(&self, caller: &Caller) -> Caller {
        let token = self.token.clone().filter(|_| self.is_ours.load(Ordering::Relaxed));
        caller.clone().with_token(token)
    }
}
