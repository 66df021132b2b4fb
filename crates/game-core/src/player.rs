//! Registered players: who they are, and the token that shows it.
//! Which games they play is the games' business.

use std::fmt;

use starkeep_core_types::PlayerId;
use uuid::Uuid;

use crate::recovery_code::RecoveryCodeHash;
use crate::rejection::Rejection;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    pub id: PlayerId,
    /// Unique over all players, like the mail address; both are compared without regard to case.
    pub name: String,
    pub mail: String,
    pub token: Token,
    /// Of one that chose a code when it registered.
    pub recovery_code: Option<RecoveryCodeHash>,
}

impl Player {
    /// Is this the player's mail address, in any spelling?
    pub fn has_mail(&self, mail: &str) -> bool {
        normalized(&self.mail) == normalized(mail)
    }
}

/// A secret between a player and the service: whoever shows it is the player.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub Uuid);

/// Never shown by accident.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Two spellings that differ in case only are one name.
pub fn normalized(text: &str) -> String {
    text.to_lowercase()
}

/// Whether somebody may register, given who has the name and the mail address already.
pub fn check_registration(has_name: Option<PlayerId>, has_mail: Option<PlayerId>) -> Result<(), Rejection> {
    match (has_name, has_mail) {
        (Some(_), _) => Err(Rejection::NameTaken),
        (None, Some(_)) => Err(Rejection::MailTaken),
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_mail_address_belong_to_one_player_each() {
        let somebody = Some(PlayerId(Uuid::nil()));
        assert_eq!(check_registration(None, None), Ok(()));
        assert_eq!(check_registration(somebody, None), Err(Rejection::NameTaken));
        assert_eq!(check_registration(somebody, somebody), Err(Rejection::NameTaken));
        assert_eq!(check_registration(None, somebody), Err(Rejection::MailTaken));
        assert_eq!(normalized("Ada ÄÖ"), normalized("aDA äö"));
    }

    #[test]
    fn a_token_is_not_shown() {
        let token = Token(Uuid::from_u128(0xabcd_ef01));
        assert!(!format!("{token:?}").contains("abcd"));
    }
}
