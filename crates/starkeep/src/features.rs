//! The parts of the program that are compiled only on request, because they take long to build: Kafka, PostgreSQL and the self-test.
//! Each has two files with the same names in them, one for a program with it and one for a program without. Flags and commands of
//! parts that are missing are refused here, before anything is opened or written.

#[cfg_attr(not(feature = "kafka"), path = "features/without_kafka.rs")]
mod kafka;
#[cfg_attr(not(feature = "postgres"), path = "features/without_postgres.rs")]
mod postgres;
#[cfg_attr(not(feature = "selftest"), path = "features/without_selftest.rs")]
mod selftest;

use clap::ArgMatches;
use clap::parser::ValueSource;

pub(crate) use self::kafka::Brokers;
pub(crate) use self::postgres::Database;
pub(crate) use self::selftest::selftest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Kafka,
    Postgres,
    SelfTest,
}

/// Flags by their ids, and what they need.
pub(crate) const FLAGS: &[(&str, Feature)] = &[
    ("kafka", Feature::Kafka),
    ("kafka_from", Feature::Kafka),
    ("status_gap", Feature::Kafka),
    ("database_url", Feature::Postgres),
    ("schema_prefix", Feature::Postgres),
];

/// Commands, and what they need.
pub(crate) const COMMANDS: &[(&str, Feature)] = &[("selftest", Feature::SelfTest)];

/// It refuses a database whatever the program was built with, and says what to do instead.
const WITHOUT_DATABASE: &str = "backup";

impl Feature {
    pub(crate) const ALL: [Self; 3] = [Self::Kafka, Self::Postgres, Self::SelfTest];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kafka => "kafka",
            Self::Postgres => "postgres",
            Self::SelfTest => "selftest",
        }
    }
}

/// What a program was built with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    pub(crate) kafka: bool,
    pub(crate) postgres: bool,
    pub(crate) selftest: bool,
}

impl Features {
    pub(crate) const OF_THIS_PROGRAM: Self = Self {
        kafka: cfg!(feature = "kafka"),
        postgres: cfg!(feature = "postgres"),
        selftest: cfg!(feature = "selftest"),
    };

    pub(crate) fn has(self, feature: Feature) -> bool {
        match feature {
            Feature::Kafka => self.kafka,
            Feature::Postgres => self.postgres,
            Feature::SelfTest => self.selftest,
        }
    }

    /// Refuses what was asked for if a feature is missing that it needs.
    pub(crate) fn check(self, matches: &ArgMatches) -> Result<(), String> {
        let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
        for (name, feature) in COMMANDS.iter().filter(|(name, _)| *name == command) {
            self.require(*feature, &format!("`starkeep {name}`"))?;
        }
        for (id, feature) in FLAGS.iter().filter(|_| command != WITHOUT_DATABASE) {
            let flag = format!("--{}", id.replace('_', "-"));
            match given(matches, id) {
                Some(ValueSource::CommandLine) => self.require(*feature, &flag)?,
                Some(ValueSource::EnvVariable) => {
                    let variable = format!("STARKEEP_{}", id.to_uppercase());
                    self.require(*feature, &format!("{flag}, which the variable {variable} sets,"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `what` begins the sentence that refuses it.
    pub(crate) fn require(self, needed: Feature, what: &str) -> Result<(), String> {
        if self.has(needed) { Ok(()) } else { Err(self.refusal(needed, what)) }
    }

    /// With the command that adds the feature to those that the program has.
    pub(crate) fn refusal(self, needed: Feature, what: &str) -> String {
        let name = needed.name();
        let all: Vec<_> = Feature::ALL
            .into_iter()
            .filter(|feature| self.has(*feature) || *feature == needed)
            .map(Feature::name)
            .collect();
        format!(
            "{what} needs the feature `{name}`, and this program was built without it. Add it with\n  \
             cargo install --locked --path crates/starkeep --features {}",
            all.join(",")
        )
    }
}

/// Where the value comes from. A variable that is empty sets nothing.
fn given(matches: &ArgMatches, id: &str) -> Option<ValueSource> {
    // Most commands do not know the flag.
    if !matches.try_contains_id(id).unwrap_or(false) {
        return None;
    }
    let is_empty = matches.get_raw(id)?.all(std::ffi::OsStr::is_empty);
    matches.value_source(id).filter(|_| !is_empty)
}
