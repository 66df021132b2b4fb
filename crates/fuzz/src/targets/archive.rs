//! Files of `starkeep export`: a place is filled with all rows of a file, or there is no such place and the reason is told.
//! Each file is read as it is, and once more with a checksum that fits: otherwise nothing behind that would ever be tried.

use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use sha2::{Digest as _, Sha256};
use starkeep_game_service::store::Games;
use starkeep_map_service::store::Maps;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::{Clock as _, ManualClock};
use starkeep_platform::data_dir::FillingDataDir;
use starkeep_platform::sql::transfer::{CarriedService, Schema};
use starkeep_platform::sqlite::{SqliteCut, SqliteFiller};
use starkeep_robot_service::store::Robots;
use starkeep_trading_service::store::Trading;
use starkeep_transfer::{Archive, ArchiveKind, Epochs, Manifest, Progress};
use tempfile::TempDir;

use crate::hex::hex;
use crate::mutator::Dictionary;
use crate::target::{Subject, Verdict};

const SERVICES: [(CarriedService, &str); 4] = [
    (CarriedService { name: "map", schema: Schema::of::<Maps>() }, "map.db"),
    (CarriedService { name: "robot", schema: Schema::of::<Robots>() }, "robot.db"),
    (CarriedService { name: "trading", schema: Schema::of::<Trading>() }, "trading.db"),
    (CarriedService { name: "game", schema: Schema::of::<Games>() }, "game.db"),
];

pub(super) struct Archives {
    home: TempDir,
}

impl Archives {
    /// In memory where there is such a place.
    pub(super) fn open() -> Self {
        let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { home: home.expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn try_file(&self, content: &[u8]) -> Verdict {
        let (file, place) = (self.path("file"), self.path("place"));
        std::fs::write(&file, content).map_err(told)?;
        match fill(&file, &place) {
            Err(reason) if reason.is_empty() => Err("it is refused without a reason".to_owned()),
            Err(reason) if place.exists() => Err(format!("it is refused and has left something: {reason}")),
            Err(reason) => {
                let reason = reason.replace(&*self.home.path().to_string_lossy(), "");
                Ok(reason.split('`').step_by(2).collect::<String>().replace(char::is_numeric, ""))
            }
            Ok(manifest) => {
                let checked = self.check_filled(content, &manifest, &place);
                std::fs::remove_dir_all(&place).map_err(told)?;
                checked.map(|()| format!("{:?} of {}", manifest.kind, manifest.services.len()))
            }
        }
    }

    /// Everything that was in the file is in the place, unless it was brought up to date or got new epochs there.
    fn check_filled(&self, content: &[u8], manifest: &Manifest, place: &Path) -> Result<(), String> {
        let is_current = |name: &str, schema: usize| {
            SERVICES.iter().any(|(service, _)| service.name == name && service.schema.version() == schema)
        };
        let is_same = manifest.services.iter().all(|service| is_current(&service.name, service.schema));
        if manifest.kind == ArchiveKind::Backup || !is_same {
            return Ok(());
        }
        let again = self.path("again");
        let written = write(place, &again).and_then(|()| std::fs::read(&again).map_err(told));
        let _ = std::fs::remove_file(&again);
        let (mut kept, mut given) = (rows_of(&written?), rows_of(content));
        kept.sort_unstable();
        given.sort_unstable();
        let mut kept = kept.into_iter();
        match given.iter().find(|row| !kept.by_ref().any(|kept| kept == **row)) {
            None => Ok(()),
            Some(row) => Err(format!("it is taken, and a row of it is not there: {row}")),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn told(fault: impl ToString) -> String {
    fault.to_string()
}

fn fill(file: &Path, place: &Path) -> Result<Manifest, String> {
    let archive = Archive::open(file).map_err(told)?;
    let names = SERVICES.iter().map(|(service, file)| (service.name, *file)).collect();
    let filler = SqliteFiller::new(FillingDataDir::begin(place).map_err(told)?, names);
    let known = SERVICES.map(|(service, _)| service);
    let is_backup = archive.manifest().kind == ArchiveKind::Backup;
    let epochs = is_backup.then(|| Epochs::draw(archive.manifest(), &*SequentialIds::new()));
    let done = archive.fill(Box::new(filler), &known, epochs.as_ref(), &mut Unwatched).now_or_never();
    done.expect("files are filled at once").map_err(told)?;
    Ok(archive.manifest().clone())
}

fn write(place: &Path, file: &Path) -> Result<(), String> {
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().expect("a time stamp"));
    let files = SERVICES.iter().map(|(service, file)| (*service, place.join(file)));
    let files = files.filter(|(_, path)| path.exists());
    let mut cut = SqliteCut::take(files, &*clock).map_err(told)?;
    let (kind, at, mut unwatched) = (ArchiveKind::Export, clock.wall(), Unwatched);
    let written = starkeep_transfer::write(&mut cut, file, kind, "again", at, &mut unwatched);
    written.now_or_never().expect("files are read at once").map(drop).map_err(told)
}

/// The rows as JSON, so that it makes no difference how they are written.
fn rows_of(content: &[u8]) -> Vec<String> {
    let lines = content.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"["));
    let values = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    values.map(|value| value.to_string()).collect()
}

/// With a last line that fits the others; what was its last line is gone.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.starts_with(b"{")) && lines.len() > 1 {
        lines.pop();
    }
    let mut sealed = lines.concat();
    if !sealed.ends_with(b"\n") {
        sealed.push(b'\n');
    }
    let digest = hex(&Sha256::digest(&sealed));
    let rows = lines.iter().skip(1).filter(|line| line.starts_with(b"[")).count();
    sealed.extend_from_slice(format!("{{\"rows\":{rows},\"sha256\":\"{digest}\"}}\n").as_bytes());
    sealed
}

impl Subject for Archives {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        self.try_file(input)?;
        self.try_file(&sealed(input))
    }

    fn dictionary(&self) -> Dictionary {
        let words =
            ["map", "robot", "trading", "game", "export", "backup", "integer", "text", "bytes", "rows"];
        Dictionary { words: words.map(|word| word.as_bytes().to_vec()).to_vec(), lines: Vec::new() }
    }
}

struct Unwatched;

impl Progress for Unwatched {
    fn begin(&mut self, _: &str, _: u64) {}

    fn done(&mut self, _: u64) {}

    fn is_stopped(&self) -> bool {
        false
    }
}
