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

/// The players who are kept, and those whom a batch or a request has loaded for itself. Nobody is in both.
///
/// One more player in a large index that is shared with others costs a copy of nodes of its four maps. So those who are
/// soon gone again have an index of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Players {
    kept: PlayerIndex,
    loaded: PlayerIndex,
}

impl Players {
    pub fn get(&self, id: PlayerId) -> Option<&Arc<Player>> {
        self.kept.get(id).or_else(|| self.loaded.get(id))
    }

    pub fn find(&self, search: &PlayerSearch) -> Option<&Arc<Player>> {
        match search {
            PlayerSearch::Id(id) => self.get(*id),
            PlayerSearch::Token(token) => self.with_token(*token),
            PlayerSearch::TokenOrId(token) => self.with_token(*token).or_else(|| self.get(PlayerId(token.0))),
            PlayerSearch::Name(name) => self.kept.named(name).or_else(|| self.loaded.named(name)),
            PlayerSearch::Mail(mail) => self.kept.with_mail(mail).or_else(|| self.loaded.with_mail(mail)),
        }
    }

    pub fn with_token(&self, token: Token) -> Option<&Arc<Player>> {
        self.kept.with_token(token).or_else(|| self.loaded.with_token(token))
    }

    /// In no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Player>> {
        self.kept.players.values().chain(self.loaded.players.values())
    }

    pub(crate) fn renew(&mut self, id: PlayerId, token: Token) {
        let Some(player) = self.get(id).cloned() else { return };
        self.load(Player { token, ..(*player).clone() });
    }

    /// Takes the place of what is known under the same id.
    pub(crate) fn add(&mut self, player: Player) {
        self.loaded.remove(player.id);
        self.kept.add(Arc::new(player));
    }

    /// The same, but one who is not kept already is loaded only.
    pub(crate) fn load(&mut self, player: Player) {
        let is_kept = self.kept.get(player.id).is_some();
        let index = if is_kept { &mut self.kept } else { &mut self.loaded };
        index.add(Arc::new(player));
    }

    /// One who was loaded stays.
    pub(crate) fn keep(&mut self, id: PlayerId) {
        if let Some(player) = self.loaded.remove(id) {
            self.kept.add(player);
        }
    }

    pub(crate) fn remove(&mut self, id: PlayerId) {
        self.kept.remove(id);
        self.loaded.remove(id);
    }
}

/// Finds players by whatever is unique of them. Names and mail addresses are shared, since a copy of a node copies all of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
struct PlayerIndex {
    players: HashMap<PlayerId, Arc<Player>>,
    tokens: HashMap<Token, PlayerId>,
    /// In one spelling, like the mail addresses.
    names: HashMap<Arc<str>, PlayerId>,
    mails: HashMap<Arc<str>, PlayerId>,
}

impl PlayerIndex {
    fn get(&self, id: PlayerId) -> Option<&Arc<Player>> {
        self.players.get(&id)
    }

    fn with_token(&self, token: Token) -> Option<&Arc<Player>> {
        self.tokens.get(&token).and_then(|id| self.get(*id))
    }

    fn named(&self, name: &str) -> Option<&Arc<Player>> {
        self.names.get(name).and_then(|id| self.get(*id))
    }

    fn with_mail(&self, mail: &str) -> Option<&Arc<Player>> {
        self.mails.get(mail).and_then(|id| self.get(*id))
    }

    fn add(&mut self, player: Arc<Player>) {
        self.remove(player.id);
        self.tokens.insert(player.token, player.id);
        self.names.insert(normalized(&player.name).into(), player.id);
        self.mails.insert(normalized(&player.mail).into(), player.id);
        self.players.insert(player.id, player);
    }

    fn remove(&mut self, id: PlayerId) -> Option<Arc<Player>> {
        // Most are not there, and `remove` copies the map's root also where it finds nothing.
        self.get(id)?;
        let player = self.players.remove(&id)?;
        self.tokens.remove(&player.token);
        self.names.remove(&*normalized(&player.name));
        self.mails.remove(&*normalized(&player.mail));
        Some(player)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Add(u8),
        Load(u8),
        Keep(u8),
        Renew(u8, u8),
        Remove(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let number = || 0..5_u8;
        let step = prop_oneof![
            number().prop_map(Step::Add),
            number().prop_map(Step::Load),
            number().prop_map(Step::Keep),
            (number(), 1..9_u8).prop_map(|(player, token)| Step::Renew(player, token)),
            number().prop_map(Step::Remove),
        ];
        prop::collection::vec(step, 0..20)
    }

    fn id(number: u8) -> PlayerId {
        PlayerId(Uuid::from_u128(number.into()))
    }

    /// No two players ever have the same.
    fn token(number: u8, renewed: u8) -> Token {
        Token(Uuid::from_u128(0x1000 + 0x100 * u128::from(number) + u128::from(renewed)))
    }

    fn player(number: u8, renewed: u8) -> Player {
        let (name, mail) = (format!("Player {number}"), format!("{number}@Example.org"));
        Player { id: id(number), name, mail, token: token(number, renewed), recovery_code: None }
    }

    proptest! {
        #[test]
        fn a_player_is_found_in_every_way_wherever_it_is(steps in steps()) {
            let mut players = Players::default();
            // Of those who are known, by number: the latest token.
            let mut known = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Add(number) => {
                        players.add(player(number, 0));
                        known.insert(number, 0);
                    }
                    Step::Load(number) => {
                        players.load(player(number, 0));
                        known.insert(number, 0);
                    }
                    Step::Keep(number) => players.keep(id(number)),
                    Step::Renew(number, renewed) => {
                        players.renew(id(number), token(number, renewed));
                        known.entry(number).and_modify(|last| *last = renewed);
                    }
                    Step::Remove(number) => {
                        players.remove(id(number));
                        known.remove(&number);
                    }
                }
                prop_assert_eq!(players.iter().count(), known.len());
            }
            for number in 0..5 {
                let last = known.get(&number).copied();
                let expected = last.map(|renewed| player(number, renewed));
                let searches = [
                    PlayerSearch::Id(id(number)),
                    PlayerSearch::TokenOrId(Token(id(number).0)),
                    PlayerSearch::named(&format!("PLAYER {number}")),
                    PlayerSearch::with_mail(&format!("{number}@example.ORG")),
                ];
                for search in searches {
                    prop_assert_eq!(players.find(&search).map(|found| &**found), expected.as_ref());
                }
                for renewed in 0..9 {
                    let found = players.with_token(token(number, renewed));
                    prop_assert_eq!(found.is_some(), last == Some(renewed));
                }
            }
        }
    }

    #[test]
    fn whom_nobody_keeps_is_not_put_among_those_who_are_kept() {
        let mut players = Players::default();
        players.add(player(1, 0));
        let kept = players.kept.clone();
        players.load(player(2, 0));
        assert_eq!(players.kept, kept);
        players.keep(id(2));
        assert_eq!((players.kept.players.len(), players.loaded.players.len()), (2, 0));
    }
}
