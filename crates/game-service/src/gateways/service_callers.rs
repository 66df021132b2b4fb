//! Whom the game service asks for what is shown: the map, and the executors where there are any.
//! The tokens open what players see only of themselves, a closed map, and the executors' logs.

use std::sync::Arc;
use std::time::Duration;

use starkeep_http_client::{Caller, Connections, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;

use super::service_token::ServiceToken;

#[derive(Clone)]
pub struct ServiceCallers {
    pub(super) map: Caller,
    pub(super) robot: Option<ExecutorCaller>,
    pub(super) trading: Option<ExecutorCaller>,
}

#[derive(Clone)]
pub(super) struct ExecutorCaller {
    caller: Caller,
    token: ServiceToken,
}

impl ServiceCallers {
    pub fn new(
        (map, admin_token): (ServiceUrl, &AdminToken),
        robot: Option<(ServiceUrl, ServiceToken)>,
        trading: Option<(ServiceUrl, ServiceToken)>,
    ) -> Self {
        let caller = |url| Caller::new(url, Connections::Pooled);
        let executor = |(url, token)| ExecutorCaller { caller: caller(url), token };
        let map = caller(map).with_token(admin_token.secret().map(Token::new));
        Self { map, robot: robot.map(executor), trading: trading.map(executor) }
    }

    /// The same, who give up after so long.
    pub(super) fn with_timeout(&self, clock: &Arc<dyn Clock>, after: Duration) -> Self {
        let limited = |caller: &Caller| caller.clone().with_timeout(Timeout { clock: clock.clone(), after });
        let executor = |ExecutorCaller { caller, token }: &ExecutorCaller| ExecutorCaller {
            caller: limited(caller),
            token: token.clone(),
        };
        Self {
            map: limited(&self.map),
            robot: self.robot.as_ref().map(executor),
            trading: self.trading.as_ref().map(executor),
        }
    }
}

impl ExecutorCaller {
    /// With the token, where it may be shown.
    pub(super) fn caller(&self) -> Caller {
        self.token.shown_by(&self.caller)
    }

    /// Has the service said that it is one of ours?
    pub(super) fn is_of_ours(&self) -> bool {
        self.token.is_of_ours()
    }
}
