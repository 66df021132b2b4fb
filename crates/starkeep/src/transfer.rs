//! `starkeep export`, `import`, `backup` and `restore`: everything that the services keep, into one file and out of it.
//! What is in a file is in the crate `transfer`; which place is read or filled is decided in `places`.

mod interrupt;
mod places;
mod summary;
mod watched;

use std::path::Path;

use starkeep_platform::chance::SystemChance;
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::sql::transfer::{CarriedService, InstallationReader};
use starkeep_platform::tasks::Stop;
use starkeep_transfer::{Archive, ArchiveKind, Epochs, TransferError};

use self::places::{Target, open_database, open_files, open_files_locked};
use self::summary::{Filled, Written};
use self::watched::Watched;
use crate::args::{BackupArgs, ExportArgs, ImportArgs, OutputArgs};
use crate::failure::CommandError;
use crate::output::print_line;
use crate::serve::service_places;

const IN_POSTGRES: &str = "a data directory is backed up, and the data is in PostgreSQL (--database-url): use PostgreSQL's own tools, \
    or stop the services and use `starkeep export`";

/// Of services that are stopped: nobody writes meanwhile, nor starts to.
pub(crate) async fn export(args: &ExportArgs) -> Result<(), CommandError> {
    refuse_existing(&args.file)?;
    let clock = SystemClock::start();
    let kind = ArchiveKind::Export;
    if let Some(url) = &args.database_url {
        let (mut from, place) = open_database(url, clock.clone()).await?;
        write(&mut *from, &place, &args.file, kind, &*clock, &args.output).await
    } else {
        let (mut from, place, _locks) = open_files_locked(&args.from.data_dirs(), &*clock)?;
        write(&mut from, &place, &args.file, kind, &*clock, &args.output).await
    }
}

/// Of services that may run.
pub(crate) async fn backup(args: &BackupArgs) -> Result<(), CommandError> {
    if args.from.data_dir.is_empty() && args.database_url.is_some() {
        return Err(CommandError::Asked(IN_POSTGRES.to_owned()));
    }
    refuse_existing(&args.file)?;
    let clock = SystemClock::start();
    let (mut from, place) = open_files(&args.from.data_dirs(), &*clock)?;
    write(&mut from, &place, &args.file, ArchiveKind::Backup, &*clock, &args.output).await
}

/// The file takes the place of what it was made of, unless that ran on.
pub(crate) async fn import(args: &ImportArgs) -> Result<(), CommandError> {
    let archive = Archive::open(&args.file).map_err(failed)?;
    let is_copy = archive.manifest().kind == ArchiveKind::Backup;
    fill(args, "imported", archive, is_copy).await
}

/// What the file was made of has gone on since, whether it was a backup or an export.
pub(crate) async fn restore(args: &ImportArgs) -> Result<(), CommandError> {
    let archive = Archive::open(&args.file).map_err(failed)?;
    fill(args, "restored", archive, true).await
}

async fn write(
    from: &mut dyn InstallationReader,
    place: &str,
    file: &Path,
    kind: ArchiveKind,
    clock: &dyn Clock,
    output: &OutputArgs,
) -> Result<(), CommandError> {
    let stop = interrupt::on_signals()?;
    let mut watched = Watched::new(stop.clone());
    let program = env!("CARGO_PKG_VERSION");
    let written = tokio::select! {
        biased;
        written = starkeep_transfer::write(from, file, kind, program, clock.wall(), &mut watched) => written,
        // A database that does not answer is not waited for.
        () = stop.cancelled() => Err(TransferError::Stopped),
    };
    watched.end();
    let written = Written { manifest: &written.map_err(failed)?, place, file };
    let line = if output.json { written.as_json() } else { written.as_text() };
    unless_stopped(&stop, print_line(&line)).await
}

async fn fill(args: &ImportArgs, done: &str, archive: Archive, is_copy: bool) -> Result<(), CommandError> {
    let target = Target::open(&args.to, SystemClock::start()).await?;
    let epochs = is_copy.then(|| Epochs::draw(archive.manifest(), &SystemChance));
    let services: Vec<CarriedService> = service_places().into_iter().map(|place| place.service).collect();
    let stop = interrupt::on_signals()?;
    let mut watched = Watched::new(stop.clone());
    let filled = archive.fill(target.writer, &services, epochs.as_ref(), &mut watched).await;
    watched.end();
    let remarks = filled.map_err(failed)?;
    let manifest = archive.manifest();
    let filled = Filled { manifest, place: &target.place, file: &args.file, done, is_copy, remarks };
    let line = if args.output.json { filled.as_json() } else { filled.as_text() };
    unless_stopped(&stop, print_line(&line)).await
}

/// All is done by then.
async fn unless_stopped(
    stop: &Stop,
    printed: impl Future<Output = Result<(), CommandError>>,
) -> Result<(), CommandError> {
    tokio::select! {
        biased;
        printed = printed => printed,
        () = stop.cancelled() => Ok(()),
    }
}

/// Before anything is locked or read; looked at again when it gets its name.
fn refuse_existing(file: &Path) -> Result<(), CommandError> {
    if file.symlink_metadata().is_ok() {
        return Err(failed(TransferError::Exists(file.to_owned())));
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(fault: TransferError) -> CommandError {
    let text = fault.to_string();
    if fault.is_refusal() { CommandError::Asked(text) } else { CommandError::Stopped(text) }
}
