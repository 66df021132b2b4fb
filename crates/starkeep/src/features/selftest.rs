//! `starkeep selftest`: runs the program under load and faults on this machine, and prints what came of it as a table.
//! What is done and checked is in `starkeep_selftest`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_selftest::{LONGEST_RECOVERY, Place, Report, SelfTest};

use super::Database;
use crate::args::SelfTestArgs;
use crate::failure::CommandError;
use crate::output::print;
use crate::paint::{Look, Paint};
use crate::progress::ProgressBar;
use crate::serve::service_places;
use crate::table::{Cell, Table};

pub(crate) async fn selftest(args: &SelfTestArgs) -> Result<(), CommandError> {
    let executable = std::env::current_exe()
        .map_err(|fault| CommandError::Stopped(format!("the program does not find itself: {fault}")))?;
    let clock: Arc<dyn Clock> = SystemClock::start();
    let chance = SystemChance;
    // Of 32 bits, so that it is easily typed again.
    let seed = args.seed.unwrap_or_else(|| chance.uuid().as_u64_pair().0 >> 32);
    let database = args.database_url.as_ref().map(|url| database(url, &chance)).transpose()?;
    let place = database.as_ref().map_or(Place::Files, |(url, prefix)| Place::Postgres {
        url: url.clone(),
        schema_prefix: prefix.clone(),
    });
    let test = SelfTest {
        executable,
        place,
        kills: args.kills,
        at_most: args.seconds.map(Duration::from_secs),
        seed,
        clock: clock.clone(),
    };
    let mut bar = None;
    let outcome =
        test.run(|done, all| bar.get_or_insert_with(|| ProgressBar::new("faults", all)).show(done)).await;
    if let Some(bar) = bar {
        bar.end();
    }
    let removed = match database {
        Some((url, prefix)) => remove(&url, &prefix, clock).await,
        None => Ok(()),
    };
    let report = outcome.map_err(|fault| CommandError::Stopped(format!("seed {seed}: {fault}")))?;
    removed?;
    print(if args.output.json { as_json(&report) } else { as_text(&report, args.output.paint()) }).await?;
    if report.is_good() {
        return Ok(());
    }
    Err(CommandError::Stopped(match report.violations.count {
        0 => format!(
            "seed {seed}: only {} operations were acknowledged, and {} are needed for the faults to mean something",
            report.acknowledged(),
            report.least_acknowledged()
        ),
        count => format!("seed {seed}: {count} violations"),
    }))
}

/// The database, and what the names of the schemas of this run begin with.
fn database(url: &str, chance: &dyn Chance) -> Result<(String, String), CommandError> {
    Database::parse(url).map_err(CommandError::Asked)?;
    let number = chance.uuid().as_u64_pair().0 >> 32;
    Ok((url.to_owned(), format!("starkeep_selftest_{number:08x}")))
}

async fn remove(url: &str, prefix: &str, clock: Arc<dyn Clock>) -> Result<(), CommandError> {
    let Ok(database) = Database::parse(url) else { return Ok(()) };
    let schemas: Vec<_> = service_places().iter().map(|place| place.schema(prefix)).collect();
    database.drop_schemas(&schemas, clock).await.map_err(|fault| {
        let names = schemas.join(", ");
        CommandError::Stopped(format!("the schemas of the self-test could not be removed ({names}): {fault}"))
    })
}

fn as_text(report: &Report, paint: Paint) -> String {
    let number = |count: u64, is_bad: bool| {
        Cell::looking(if is_bad && count > 0 { Look::Bad } else { Look::Plain }, count)
    };
    let mut operations = Table::new(["OPERATIONS", ">ACKNOWLEDGED", ">LOST", ">DOUBLED", ">UNKNOWN"]);
    for counts in &report.operations {
        operations.add([
            Cell::new(counts.operation.name()),
            number(counts.acknowledged, false),
            number(counts.lost, true),
            number(counts.doubled, true),
            number(counts.unknown, false),
        ]);
    }
    let mut faults = Table::new(["FAULTS", ">TIMES"]);
    for (kind, times) in &report.faults {
        faults.add([Cell::new(kind.name()), Cell::new(*times)]);
    }
    let mut text = format!("{}\n{}\n", operations.text(paint), faults.text(paint));
    let (rounds, hostile, seconds) = (report.rounds, report.hostile_connections, report.took.as_secs());
    let _ = writeln!(text, "{rounds} rounds were played, {hostile} connections of slow or broken clients.");
    if let Some((longest, kind)) = report.recovery {
        let (longest, limit, kind) = (longest.as_millis(), LONGEST_RECOVERY.as_secs(), kind.name());
        let _ = writeln!(
            text,
            "Well again after at most {longest} ms (allowed: {limit} s), the longest when {kind}."
        );
    }
    for sentence in &report.violations.sentences {
        let _ = writeln!(text, "{}", paint.text(Look::Bad, sentence));
    }
    let verdict = if report.is_good() { "Everything that was acknowledged holds." } else { "FAILED." };
    let _ = writeln!(text, "{verdict} Seed {}, {seconds} s.", report.seed);
    text
}

fn as_json(report: &Report) -> String {
    let operations: Vec<_> = report
        .operations
        .iter()
        .map(|counts| {
            json!({
                "operation": counts.operation.name(), "acknowledged": counts.acknowledged, "lost": counts.lost,
                "doubled": counts.doubled, "unknown": counts.unknown,
            })
        })
        .collect();
    let faults: Vec<_> =
        report.faults.iter().map(|(kind, times)| json!({ "fault": kind.name(), "times": times })).collect();
    let report = json!({
        "seed": report.seed, "good": report.is_good(), "operations": operations, "faults": faults,
        "rounds": report.rounds, "hostileConnections": report.hostile_connections,
        "longestRecoveryInMillis": report.recovery.map(|(longest, _)| longest.as_millis()),
        "seconds": report.took.as_secs(), "violations": report.violations.sentences,
    });
    format!("{report}\n")
}
