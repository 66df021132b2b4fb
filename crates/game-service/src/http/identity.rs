//! Who a player is who asks: by the token or the id in the path, and by the token in the `Authorization` header.
//! Tokens are secrets; nothing here is logged, and no refusal repeats what was shown.

use std::sync::Arc;

use http::HeaderMap;
use starkeep_contract::{Code, Problem};
use starkeep_game_core::{Player, PlayerId, Token};
use starkeep_platform::http::Refusal;
use starkeep_platform::http::auth::bearer_in;
use uuid::Uuid;

use super::Shared;

/// The player whom the path names, whoever asks.
pub(super) fn named(app: &Shared, segment: &str) -> Result<Arc<Player>, Refusal> {
    let players = app.players();
    let found = Uuid::try_parse(segment)
        .ok()
        .and_then(|id| players.with_token(Token(id)).or_else(|| players.get(PlayerId(id))));
    found.cloned().ok_or_else(|| {
        let text = "the path names neither a player's token nor a player's id: register with POST /players";
        Problem::new(Code::UnknownPlayer, text).into()
    })
}

/// The player whom the path names, who has shown to be the one: everybody knows ids, nobody else knows a token.
pub(super) fn shown(app: &Shared, segment: &str, headers: &HeaderMap) -> Result<Arc<Player>, Refusal> {
    let player = named(app, segment)?;
    let proved = |text: &str| Uuid::try_parse(text).is_ok_and(|token| Token(token) == player.token);
    if proved(segment) || app.wire.dialect.player_id_is_enough() {
        return Ok(player);
    }
    match bearer_in(headers) {
        Some(token) if proved(token) => Ok(player),
        Some(_) => {
            Err(Problem::new(Code::PlayerTokenNeeded, "the token in `Authorization` is not this player's")
                .into())
        }
        None => {
            let text = "a player's id does not show who asks: name the player's token in the path, or send \
                        `Authorization: Bearer <token>`";
            Err(Problem::new(Code::PlayerTokenNeeded, text).into())
        }
    }
}
