//! Players, found by id, token, name or mail address.
//! Cheap to clone, like the image that it is a part of.

use std::sync::Arc;

use imbl::HashMap;
use starkeep_game_core::{Player, PlayerId, Token, normalized};

/// What a player is looked for by. Each finds at most one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PlayerSearch {
    Id(PlayerId),
    Token(Token),
    /// What stands in a path: a token, or else an id. Kept as a secret, since it may be one.
    TokenOrId(Token),
    /// In one spelling, like the mail address.
    Name(String),
    Mail(String),
}

impl PlayerSearch {
    pub(crate) fn named(name: &str) -> Self {
        Self::Name(normalized(name))
    }

    pub(crate) fn with_mail(mail: &str) -> Self {
        Self::Mail(normalized(mail))
    }
}

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

    pub fn find(&self, search: &PlayerSearch) -> Option<&Arc<Player>> {
        match search {
            PlayerSearch::Id(id) => self.get(*id),
            PlayerSearch::Token(token) => self.with_token(*token),
            PlayerSearch::TokenOrId(token) => self.with_token(*token).or_else(|| self.get(PlayerId(token.0))),
            PlayerSearch::Name(name) => self.names.get(name).and_then(|id| self.get(*id)),
            PlayerSearch::Mail(mail) => self.mails.get(mail).and_then(|id| self.get(*id)),
        }
    }

    pub fn with_token(&self, token: Token) -> Option<&Arc<Player>> {
        self.tokens.get(&token).and_then(|id| self.get(*id))
    }

    /// In no order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Player>> {
        self.all.values()
    }

    pub(crate) fn renew(&mut self, id: PlayerId, token: Token) {
        let Some(player) = self.all.get(&id).cloned() else { return };
        self.add(Player { token, ..(*player).clone() });
    }

    /// Takes the place of what is known under the same id.
    pub(crate) fn add(&mut self, player: Player) {
        self.remove(player.id);
        self.tokens.insert(player.token, player.id);
        self.names.insert(normalized(&player.name), player.id);
        self.mails.insert(normalized(&player.mail), player.id);
        self.all.insert(player.id, Arc::new(player));
    }

    pub(crate) fn remove(&mut self, id: PlayerId) {
        let Some(player) = self.all.remove(&id) else { return };
        self.tokens.remove(&player.token);
        self.names.remove(&normalized(&player.name));
        self.mails.remove(&normalized(&player.mail));
    }
}
