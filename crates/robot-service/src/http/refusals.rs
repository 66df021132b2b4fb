//! Problems of the robot service, for its contract. Those of every service are defined in the platform.

use starkeep_platform::problem_groups;

problem_groups! {
    /// Endpoints that take a JSON body, as the existing service refuses it.
    NotAccepted {
        "400": "`request-not-accepted`: the body, a command in it or an id cannot be read",
        "408": "`request-timeout`: the body did not arrive in time",
        "413": "`body-too-large`: the body is too large",
        "415": "`not-json`: the body is not declared as JSON",
        "422": "`invalid-parameter`: a header of the batch cannot be read; `idempotency-key-reused`: the transaction came with another order before",
    }
    BadQuery {
        "400": "`request-not-accepted`: neither a player nor a game is named, or an id is no UUID",
        "422": "`invalid-parameter`: a parameter of the query comes twice",
    }
    OwnerOnly {
        "401": "`player-token-needed`: the owner's token is missing, or another player's; `unknown-token`: nobody has it; `unauthorized`: the admin token is missing or wrong",
    }
    UnknownRobot {
        "404": "`unknown-robot`: there is no such robot",
    }
    BatchRefused {
        "404": "`unknown-game`: the game is not known here",
        "409": "`game-ended`: the game has ended; `not-one-running-game`: no game is named, and not exactly one runs",
    }
    OrderRefused {
        "409": "`game-ended`: the game has ended",
    }
    UpgradeRefused {
        "409": "`upgrade-refused`: the level does not exist, skips levels, or is reached already; `game-ended`: the game has ended",
    }
}
