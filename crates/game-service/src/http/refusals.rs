//! Refusals that only the game service knows, as its contract names them.
//! Those that every service knows are the platform's groups.

use starkeep_platform::problem_groups;

problem_groups! {
    UnknownGame {
        "404": "`unknown-game`: there is no such game",
    }
    UnknownPlayer {
        "404": "`unknown-player`: there is no such player",
    }
    /// Where a token may stand in a header or a body; the msd dialect has no 401 for one that nobody has.
    UnknownPlayerOrToken {
        "404": "`unknown-player`: there is no such player; in the msd dialect also `unknown-token`: nobody has the token",
    }
    UnknownGameOrPlayer {
        "404": "`unknown-game`, `unknown-player`: there is no such game or player; \
                in the msd dialect also `unknown-token`: nobody has the token",
    }
    UnknownInCommand {
        "404": "`unknown-game`, `unknown-player`, `unknown-robot`: what the command names is not known; \
                in the msd dialect also `unknown-token`: nobody has the token",
    }
    UnknownCommand {
        "404": "`unknown-command`: there is no such command; in the msd dialect also `unknown-token`: nobody has the token",
    }
    UnknownRound {
        "404": "`unknown-game`, `unknown-round`: there is no such game or round; \
                in the msd dialect also `unknown-token`: nobody has the token",
    }
    UnknownRobot {
        "404": "`unknown-robot`: there is no such robot",
    }
    /// The id that a robot is announced with is new, so only its form can be wrong.
    NoRobotId {
        "404": "`unknown-robot`: the id is no UUID",
    }
    /// What is asked for while reading who asks.
    BadToken {
        "401": "`unknown-token`: nobody has the token that was shown",
    }
    /// Where a player asks for its token.
    WrongRecoveryCode {
        "401": "`wrong-recovery-code`: the player chose another code",
    }
    NotRecoverable {
        "403": "In the msd dialect: `token-not-recoverable`, instead of 409",
        "409": "`token-not-recoverable`: a code was shown where tokens are not told again, or for a player that chose none",
    }
    /// Where a secret may be guessed.
    TooManyGuesses {
        "429": "`too-many-guesses`: this address has shown too many wrong tokens, mail addresses or recovery codes",
    }
    NoPageFile {
        "404": "`no-such-route`: there is no such file",
    }
    NoGameCreated {
        "403": "In the msd dialect: `active-game-exists`: another game is active; and instead of 409",
        "409": "`gameworld-in-use`, `gameworld-inactive`, `no-such-gameworld`: the gameworld cannot be played in",
    }
}
