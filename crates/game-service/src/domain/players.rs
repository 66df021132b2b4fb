//! All registered players, found by id, token, name or mail address.
//! Cheap to clone, like the image that it is a part of.

use std::sync::Arc;

use imbl::HashMap;
use starkeep_game_core::{Player, PlayerId, Token, normalized};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Players {
    all: HashMap<PlayerId, Arc<Player>>,
    tokens: HashMap<Token, PlayerId>,
    /// In one spelling, like the mail addresses.
    names: HashMap<String, PlayerId>,
    mails: HashMap<String, PlayerId>,
}

impl Players {
    pub fn get(&self, id: PlayerId) -> Option<&Arc<Player>> {
        self.all.get(&id)
    }

    /// In no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Player>> {
        self.all.values()
    }

    pub fn with_token(&self, token: Token) -> Option<&Arc<Player>> {
        self.tokens.get(&token).and_then(|id| self.get(*id))
    }

    pub fn named(&self, name: &str) -> Option<PlayerId> {
        self.names.get(&normalized(name)).copied()
    }

    pub fn with_mail(&self, mail: &str) -> Option<PlayerId> {
        self.mails.get(&normalized(mail)).copied()
    }

    pub(crate) fn renew(&mut self, id: PlayerId, token: Token) {
        let Some(player) = self.all.get(&id).cloned() else { return };
        self.tokens.remove(&player.token);
        self.add(Player { token, ..(*player).clone() });
    }

    pub(crate) fn add(&mut self, player: Player) {
        self.tokens.insert(player.token, player.id);
        self.names.insert(normalized(&player.name), player.id);
        self.mails.insert(normalized(&player.mail), player.id);
        self.all.insert(player.id, Arc::new(player));
    }
}
