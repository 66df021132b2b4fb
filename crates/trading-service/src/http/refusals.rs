//! Problems that only the trading service has, for its contract.
//! Those of every service are defined in the platform.

use starkeep_platform::problem_groups;

problem_groups! {
    UnknownGame {
        "404": "`unknown-game`: there is no such game",
    }
    UnknownItem {
        "404": "`unknown-item`: there is no such item; `unknown-game`: there is no such game",
    }
    BadRound {
        "400": "`not-a-round`: the path names no whole number",
        "404": "`unknown-round`: there are no balances of this round; `unknown-game`: there is no such game",
    }
    BadBatch {
        "400": "`unreadable-json` or `not-a-batch`: the body is no JSON array",
        "404": "`unknown-game`: there is no such game",
        "408": "`request-timeout`: the body did not arrive in time",
        "413": "`body-too-large`: the body is too large",
        "422": "`invalid-parameter`: a header cannot be read",
        "500": "`internal`: the service is at fault",
        "503": "`round-not-reached`: nothing was executed; `robot-unavailable`: not everything was; `storage-unavailable`",
    }
}
