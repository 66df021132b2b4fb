//! Who may see robots: in the standard dialect their owner, services and the host; in the msd dialect, and where no token is
//! set by which services could be told from others, everybody.
//! What only services may call is guarded in the route table.

use http::HeaderMap;
use starkeep_contract::{Code, Dialect, Problem};
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::auth::{AdminToken, bearer_in};
use starkeep_robot_core::PlayerId;

use crate::app::App;
use crate::wire;

#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) admin: AdminToken,
    pub(super) service: AdminToken,
}

/// Whose robots a request may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    All,
    Of(PlayerId),
}

impl Sight {
    pub(super) fn of(self, owner: PlayerId) -> Result<(), ErrorResponse> {
        if self == Self::All || self == Self::Of(owner) {
            return Ok(());
        }
        let text = "a robot is shown to its owner: send the owner's token as `Authorization: Bearer <token>`";
        Err(ErrorResponse::new(Code::PlayerTokenNeeded, text))
    }
}

impl Tokens {
    fn show_a_service_or_host(&self, headers: &HeaderMap) -> bool {
        self.admin.is_shown_in(headers) || self.service.is_shown_in(headers)
    }

    /// All robots of a game are the host's to see.
    pub(super) fn host_only(&self, headers: &HeaderMap) -> Result<(), ErrorResponse> {
        if !self.admin.is_set() || self.show_a_service_or_host(headers) {
            return Ok(());
        }
        let text = "all robots of a game are shown to the host: send the admin token as `Authorization: Bearer <token>`";
        Err(ErrorResponse::new(Code::Unauthorized, text))
    }

    /// Whose robots this request may see; refused if that is nobody's.
    pub(super) async fn sight(&self, app: &App, headers: &HeaderMap) -> Result<Sight, ErrorResponse> {
        let dialect = app.settings.dialect;
        if dialect == Dialect::Msd || self.show_a_service_or_host(headers) {
            return Ok(Sight::All);
        }
        let Some(token) = bearer_in(headers) else {
            // Services of other processes have nothing to show that they are services.
            if !self.admin.is_set() && !self.service.is_set() {
                return Ok(Sight::All);
            }
            let text =
                "robots are shown to their owner: send the owner's token as `Authorization: Bearer <token>`";
            return Err(ErrorResponse::new(Code::PlayerTokenNeeded, text));
        };
        match app.player_of(token).await.map_err(wire::refuse)? {
            Some(player) => Ok(Sight::Of(player)),
            None => Err(Problem::spoken(dialect, Code::UnknownToken, "nobody has this token").into()),
        }
    }
}
