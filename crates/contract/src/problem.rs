//! The one error body (RFC 9457) and the closed list of codes in it, each with its title and explanation.
//! `docs/errors.md` and the `/docs` page are made from this list.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::Dialect;

/// What went wrong, for the person who reads it and for the program that branches on `code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "type": "/docs#problem-invalid-field", "title": "a field is missing or not allowed", "status": 422,
    "detail": "`maxRounds`: expected a whole number from 1 to 1000000, found 0", "code": "invalid-field", "field": "maxRounds",
})))]
pub struct Problem {
    /// Where the code is explained: `/docs#problem-<code>` on the same address.
    pub r#type: String,
    /// The same for every problem with this code.
    pub title: String,
    /// The HTTP status code, repeated.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened this time, with the values that matter.
    pub detail: String,
    /// Stable; from a closed list.
    pub code: Code,
    /// The field, parameter or header that was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub field: Option<String>,
    /// Of what came too late: by how many milliseconds.
    #[serde(default, rename = "lateByMillis", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u32, required = false)]
    pub late_by_millis: Option<u32>,
    /// Seconds after which a retry makes sense; sent as `Retry-After`.
    #[serde(skip)]
    pub retry_after_seconds: Option<u32>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self::spoken(Dialect::Standard, code, detail)
    }

    /// A problem whose status code follows the dialect.
    pub fn spoken(dialect: Dialect, code: Code, detail: impl Into<String>) -> Self {
        Self {
            r#type: format!("/docs#problem-{}", code.as_str()),
            title: code.title().to_owned(),
            status: code.status(dialect),
            detail: detail.into(),
            code,
            field: None,
            late_by_millis: None,
            retry_after_seconds: (code.kind() == Kind::Away).then_some(1),
        }
    }

    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    #[must_use]
    pub fn late_by(mut self, millis: u32) -> Self {
        self.late_by_millis = Some(millis);
        self
    }
}

/// What a code means for the status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Unreadable,
    Unauthorized,
    UnknownToken,
    Unknown,
    WrongMethod,
    TooSlow,
    Conflict,
    TooLarge,
    NotJson,
    NotAllowed,
    TooMany,
    Broken,
    Away,
}

macro_rules! codes {
    ($($code:ident = $text:literal, $kind:ident, $title:literal, $explanation:literal;)+) => {
        /// The closed list of problem codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[serde(rename = $text)] $code,)+
        }

        impl Code {
            pub const ALL: &[Self] = &[$(Self::$code),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$code => $text,)+ }
            }

            pub fn kind(self) -> Kind {
                match self { $(Self::$code => Kind::$kind,)+ }
            }

            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)+ }
            }

            /// One paragraph: when it happens and what to do.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$code => $explanation,)+ }
            }
        }
    };
}

// By hand: the derive macro does not see the words that the list above hands on to serde.
impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The closed list of problem codes."))
            .enum_values(Some(Self::ALL.iter().map(|code| code.as_str())))
            .into()
    }
}

impl ToSchema for Code {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Code")
    }
}

impl Code {
    pub fn status(self, dialect: Dialect) -> u16 {
        match self.kind() {
            Kind::Unreadable => 400,
            Kind::Unauthorized => 401,
            Kind::UnknownToken => dialect.unknown_token_status(),
            Kind::Unknown => 404,
            Kind::WrongMethod => 405,
            Kind::TooSlow => 408,
            Kind::Conflict => dialect.conflict_status(),
            Kind::TooLarge => 413,
            Kind::NotJson => 415,
            Kind::NotAllowed => 422,
            Kind::TooMany => 429,
            Kind::Broken => 500,
            Kind::Away => 503,
        }
    }
}

codes! {
    UnreadableJson = "unreadable-json", Unreadable, "the body is not readable JSON",
        "The request's body could not be read as JSON; the detail names line and column. Nothing was changed.";
    RequestNotAccepted = "request-not-accepted", Unreadable, "the request cannot be accepted",
        "The robot or trading service cannot read the body, a command in it, an id or a parameter; the detail says which, in the words of \
         the existing services. Nothing was executed.";
    NotABatch = "not-a-batch", Unreadable, "the body is no batch of commands",
        "The trading service takes a JSON array of commands. Nothing was executed.";
    NotARound = "not-a-round", Unreadable, "the path names no round",
        "A round is a whole number; 0 is before the first.";
    Unauthorized = "unauthorized", Unauthorized, "a token is needed",
        "What a host does needs the admin token that the service was started with: send `Authorization: Bearer <token>`. \
         The detail says whether the token was missing or wrong.";
    PlayerTokenNeeded = "player-token-needed", Unauthorized, "the player's token is needed",
        "A player's id is known to everybody, so it does not show who asks: use the player's token. \
         In the msd dialect the id is enough.";
    UnknownToken = "unknown-token", UnknownToken, "nobody has this token",
        "The token in the body or in `Authorization` is no player's: it was mistyped, or renewed since. In the msd dialect \
         `GET /players?name=&mail=` shows a player its token, and this is a 404.";
    WrongRecoveryCode = "wrong-recovery-code", Unauthorized, "the recovery code is wrong",
        "The player chose another code when it registered than the one in `Starkeep-Recovery-Code`. Too many wrong ones are slowed down.";
    NoSuchRoute = "no-such-route", Unknown, "there is nothing at this path",
        "No endpoint has this path. `/docs` on the same address lists them; mind which of the services you call.";
    UnknownGame = "unknown-game", Unknown, "there is no such game",
        "No game has this id: it never existed, was deleted, or the id is not a UUID. `GET /games` lists the games.";
    UnknownPlayer = "unknown-player", Unknown, "there is no such player",
        "The path names neither a player's token nor a player's id.";
    UnknownRobot = "unknown-robot", Unknown, "there is no such robot",
        "No robot with this id is known: the robot service knows none, or did not answer, and a report of it was waited for. \
         The id may be mistyped, or not a UUID.";
    UnknownRound = "unknown-round", Unknown, "there is no such round",
        "The game has not had a round of this number.";
    UnknownItem = "unknown-item", Unknown, "there is no such item",
        "Nothing of this name is listed. `GET /items` of the trading service lists everything; names are in upper case.";
    UnknownCommand = "unknown-command", Unknown, "there is no such command",
        "No command has this transaction id, or it is another player's and its round is not over yet.";
    UnknownGameworld = "unknown-gameworld", Unknown, "there is no such gameworld",
        "No gameworld has this id: it never existed, was deleted with its game, or the id is not a UUID.";
    UnknownPlanet = "unknown-planet", Unknown, "there is no such planet",
        "No planet has this id. Planet ids are new for every gameworld, so an id from an earlier game is of no use. \
         In the msd dialect the planets of an inactive gameworld are unknown, too.";
    NoDeposit = "no-deposit", Unknown, "there is nothing to mine",
        "The planet exists and holds no deposit. An exhausted deposit is another case: it answers 201 with 0 mined.";
    NoCertificate = "no-certificate", Unknown, "the gameworld has no certificate",
        "The gameworld was made by an earlier version, which did not keep how even its starts were. Gameworlds made since have a certificate.";
    MethodNotAllowed = "method-not-allowed", WrongMethod, "the path does not take this method",
        "The path exists and takes other methods; the `Allow` header lists them.";
    RequestTimeout = "request-timeout", TooSlow, "the request took too long to arrive",
        "The request's body did not arrive in time. Nothing was changed; send it again.";
    GameNotCreated = "game-not-created", Conflict, "the game is past its start",
        "This can be done only before a game is started; the detail says what state it is in.";
    GameEnded = "game-ended", Conflict, "the game is over",
        "An ended game can be read and deleted, and nothing else.";
    GameNotRunning = "game-not-running", Conflict, "the game has not started",
        "This can be done only with a game that runs: start it first.";
    GamePaused = "game-paused", Conflict, "the game is paused already",
        "The game's time stands already; nothing was changed. Resume it, or step through its rounds.";
    GameNotPaused = "game-not-paused", Conflict, "the game is not paused",
        "Only a paused game can be resumed or stepped: pause it first.";
    InputEnded = "input-ended", Conflict, "the round's input has ended",
        "This can be done only while the round collects commands; wait for the next round. `lateByMillis` says by how much it \
         came too late.";
    FirstRoundNotBegun = "first-round-not-begun", Conflict, "the game's first round has yet to begin",
        "The game has started, and its first round begins a moment later; the detail says when. Wait for `roundStatus`.";
    GameNotEnded = "game-not-ended", Conflict, "the game is not over",
        "Only an ended game can be deleted: end it first.";
    StartUnderWay = "start-under-way", Conflict, "the game is being started",
        "The game's start is under way: its world is being made for the players who joined, so nobody can join or leave now.";
    StartWithdrawn = "start-withdrawn", Conflict, "the start was overtaken",
        "While this start was under way the game was ended, so it did not take place.";
    AnotherGameRuns = "another-game-runs", Conflict, "another game runs",
        "As many games run as this service allows at a time; the detail names one. End it, or wait for its end.";
    ActiveGameExists = "active-game-exists", Conflict, "another game is active",
        "In the msd dialect there is one created or running game at a time; the detail names it.";
    NameTaken = "name-taken", Conflict, "the name is taken",
        "Another player has registered with this name, in this or another spelling. If that was you, look yourself up with \
         `GET /players?name=&mail=`.";
    TokenNotRecoverable = "token-not-recoverable", Conflict, "the token is not told again",
        "`Starkeep-Recovery-Code` was shown, and does not help: the service was started without `--token-recovery on`, or the player chose no \
         `recoveryCode` when it registered; the detail says which. Register under another name.";
    MailTaken = "mail-taken", Conflict, "the mail address is taken",
        "Another player has registered with this mail address.";
    AlreadyParticipating = "already-participating", Conflict, "the player has joined already",
        "The player takes part in this game already; nothing was changed.";
    GameFull = "game-full", Conflict, "the game is full",
        "As many players as the game has seats have joined.";
    NotParticipating = "not-participating", Conflict, "the player does not take part",
        "The player has not joined this game, or the host has taken it out since; the detail says which.";
    NoRunningGame = "no-running-game", Conflict, "the player plays in no running game",
        "A command without a `gameId` means the player's only running game, and there is none.";
    SeveralRunningGames = "several-running-games", Conflict, "the player plays in several running games",
        "A command without a `gameId` means the player's only running game, and there are several: name one.";
    ForeignRobot = "foreign-robot", Conflict, "the robot is another player's",
        "A player commands its own robots only.";
    RobotDestroyed = "robot-destroyed", Conflict, "the robot has been destroyed",
        "The robot exists no longer, so it takes no command.";
    RobotOfEarlierGame = "robot-of-earlier-game", Conflict, "the robot is of an earlier game",
        "A robot acts in the game that it was spawned in, and in no other, if its service says which game that is. In the msd dialect it is \
         the one that ran when the robot was spawned. Buy new ones.";
    RobotHasAnotherOwner = "robot-has-another-owner", Conflict, "the robot has another owner",
        "A robot keeps the owner that it was announced with first.";
    UpgradeRefused = "upgrade-refused", Conflict, "the robot cannot have this level",
        "A level is reached from the one below it, and ends at 5 (MINING at 4); the detail says what the robot has. Nothing was changed.";
    StepOvertaken = "step-overtaken", Conflict, "the step was overtaken",
        "While this step was under way somebody resumed, stepped or ended the game.";
    GameworldInactive = "gameworld-inactive", Conflict, "the gameworld is inactive",
        "The gameworld is no longer played in, so nothing is mined or replenished there, and no game can be played in it. It can still \
         be read. In the msd dialect its planets are unknown instead.";
    ReplenishedAutomatically = "replenished-automatically", Conflict, "the gameworld is replenished by itself",
        "Only a gameworld that was made with `\"replenishment\":\"on_request\"` is replenished by a request; this one follows the map \
         service's clock (`--replenish-every`). Nothing was changed.";
    GameworldInUse = "gameworld-in-use", Conflict, "another game uses the gameworld",
        "`gameworldId` names a gameworld that another game is played in, or is being made for one; the detail names the game. \
         Each game needs a gameworld of its own.";
    NoSuchGameworld = "no-such-gameworld", Conflict, "the map has no such gameworld",
        "`gameworldId` names a gameworld that the map service does not know: it never existed, or was deleted with its game. \
         `GET /gameworlds` of the map service lists those that there are.";
    GameworldGone = "gameworld-gone", Conflict, "the gameworld's id was used before",
        "A gameworld with this id was made or withdrawn before; ids are used once. Ask for another.";
    NotOneRunningGame = "not-one-running-game", Conflict, "not exactly one game runs",
        "A batch of commands without `Starkeep-Game` is for the only game that runs, and there is none, or there are several. \
         Nothing was executed.";
    BodyTooLarge = "body-too-large", TooLarge, "the body is too large",
        "The request's body is larger than the limit that the detail names. Nothing was changed.";
    NotJson = "not-json", NotJson, "the body is not declared as JSON",
        "Send `Content-Type: application/json`.";
    InvalidField = "invalid-field", NotAllowed, "a field is missing or not allowed",
        "The body is readable, but a field is missing, of the wrong type or out of bounds; `field` names it and the \
         detail says what is expected. Nothing was changed.";
    InvalidParameter = "invalid-parameter", NotAllowed, "a query parameter or a header is not allowed",
        "A parameter of the query, or a header, is of the wrong type or out of bounds; `field` names it and the detail says what is expected.";
    InvalidIdempotencyKey = "invalid-idempotency-key", NotAllowed, "the Idempotency-Key is not usable",
        "An `Idempotency-Key` is 1 to 255 visible ASCII characters, and there is one of it in a request.";
    TooManyGuesses = "too-many-guesses", TooMany, "too many wrong guesses",
        "From this address came too many wrong mail addresses or recovery codes for one name, or too many wrong tokens (`--wrong-guesses`, \
         `--wrong-guess-every`). Whether this one was right is not told. Try again after the seconds in `Retry-After`. Other players, \
         other addresses and right tokens are not concerned.";
    IdempotencyKeyReused = "idempotency-key-reused", NotAllowed, "the Idempotency-Key was used with another body",
        "This key came before with the same method and path and another body. Use a new key for a new request.";
    Internal = "internal", Broken, "the service is at fault",
        "Something happened that must not happen; the detail and the service's log have the reason. Nothing was changed.";
    MapUnavailable = "map-unavailable", Away, "the map service is away or refuses",
        "The game service could not get a gameworld from the map service, so no game was created or started, and what may have been \
         made is taken back. Try again after the seconds in `Retry-After`.";
    KafkaUnavailable = "kafka-unavailable", Away, "Kafka is away",
        "In the msd dialect the gameworld of a game is made when everything told before is in Kafka: consumers would forget it otherwise. \
         Kafka took nothing for the time-out of the map (`--map-timeout`), so the game was not started, and nothing was changed. \
         Try again after the seconds in `Retry-After`.";
    GameUnavailable = "game-unavailable", Away, "the game service is away",
        "The game service, which knows whose token it is, did not answer. Try again after the seconds in `Retry-After`.";
    RoundNotReached = "round-not-reached", Away, "the round is not known here yet",
        "Before a service carries out the commands of a round it reads the events of the game and map services up to that round. \
         It could not within the time that the request gives it, or an earlier batch of the game took that time; `/health` says how \
         its tasks are. Nothing was executed: send the batch again.";
    RobotUnavailable = "robot-unavailable", Away, "the robot service does not answer",
        "The trading service has asked the robot service to carry out purchases or sales and does not know yet what came of it. Send \
         the batch again: what was executed is not executed again.";
    ExecutorUnavailable = "executor-unavailable", Away, "a service is away",
        "What was asked for is told by the robot, trading or map service, which did not answer; the detail says which and why. Try again \
         after the seconds in `Retry-After`.";
    TooManyReaders = "too-many-readers", Away, "too many readers of events",
        "As many streams of events are open as this service serves at a time (`--max-event-streams`). Close those that nobody reads, or \
         try again after the seconds in `Retry-After`. Pages of events (`Accept: application/json`) can be read meanwhile.";
    OutcomeUnknown = "outcome-unknown", Away, "it is not known whether the change was made",
        "The storage was asked to make the change, and its answer was lost: it may have been made, or not. Look before you send the request \
         again, or send it with the `Idempotency-Key` that it had: then it is not carried out twice.";
    DiskFull = "disk-full", Away, "the server's disk is full",
        "The disk on which the service keeps its data is full, so nothing can be changed; what is there can be read. When its host has made \
         space the service goes on by itself.";
    StorageUnavailable = "storage-unavailable", Away, "the storage is away",
        "The storage could not be written or read; nothing was changed. `GET /health` says when it is well again.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_and_unknown_tokens_follow_the_dialect_and_nothing_else_does() {
        for &code in Code::ALL {
            let statuses = (code.status(Dialect::Standard), code.status(Dialect::Msd));
            match code.kind() {
                Kind::Conflict => assert_eq!(statuses, (409, 403), "{code:?}"),
                Kind::UnknownToken => assert_eq!(statuses, (401, 404), "{code:?}"),
                _ => assert_eq!(statuses.0, statuses.1, "{code:?}"),
            }
        }
    }

    #[test]
    fn a_problem_reads_as_rfc_9457_has_it() {
        let problem = Problem::new(Code::InvalidField, "`maxRounds` is missing").at_field("maxRounds");
        assert_eq!(
            serde_json::to_value(problem).unwrap(),
            serde_json::json!({
                "type": "/docs#problem-invalid-field", "title": "a field is missing or not allowed", "status": 422,
                "detail": "`maxRounds` is missing", "code": "invalid-field", "field": "maxRounds",
            })
        );
    }
}
