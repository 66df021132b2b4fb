//! Problems that only the map service has, for its contract.
//! Those of every service are defined in the platform.

use starkeep_platform::problem_groups;

problem_groups! {
    UnknownGameworld {
        "404": "`unknown-gameworld`: there is no such gameworld",
    }
    /// A withdrawal makes any other id one that exists no more.
    NoGameworldId {
        "404": "`unknown-gameworld`: the id is no UUID",
    }
    GameworldGone {
        "403": "In the msd dialect: `gameworld-gone`",
        "409": "`gameworld-gone`: the id was used or withdrawn before",
    }
    UnknownPlanet {
        "404": "`unknown-planet`: there is no such planet; in the msd dialect also: its gameworld is inactive",
    }
    NothingToMine {
        "404": "`unknown-planet`: there is no such planet; or `no-deposit`: there is nothing to mine on it",
    }
    GameworldInactive {
        "409": "`gameworld-inactive`: the planet's gameworld is no longer played in; in the msd dialect the planet is unknown instead",
    }
    MiningClosed {
        "401": "`unauthorized`: where mining is closed, the admin token is missing or wrong",
    }
    ChartClosed {
        "401": "`unauthorized`: the gameworld is not known to be inactive, and the admin token is missing or wrong",
    }
    MapClosed {
        "401": "`unauthorized`: where the map is closed, the gameworld is not known to be inactive, and the admin token is missing or wrong",
    }
    NoCertificate {
        "404": "`unknown-gameworld`: there is no such gameworld; or `no-certificate`: it was made by a version without certificates",
    }
    NotReplenished {
        "403": "In the msd dialect: `gameworld-inactive` or `replenished-automatically`",
        "409": "`gameworld-inactive`: the gameworld is no longer played in; or `replenished-automatically`: it is not replenished on request",
    }
}
