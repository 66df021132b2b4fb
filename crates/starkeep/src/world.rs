//! `starkeep world`: draws worlds, proves what they promise, and checks finished ones against their seed.
//! Exit codes: 0 all is well, 1 something is not as promised, 2 it cannot be told, or asked for something that cannot be.

mod certificate;
mod check;
mod json;
mod legend;
mod picture;
mod svg;
mod verify;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use starkeep_client::{ClientError, MapClient};
use starkeep_map_core::{SEEDS, Spec, generate};
use starkeep_platform::chance::{Chance, SystemChance};

use self::verify::Mismatch;
use crate::args::{CheckArgs, PreviewArgs, VerifyArgs, WorldArgs, WorldCommand, bad_address};
use crate::failure::CommandError;
use crate::output::print;

/// Wider than this, a world is not drawn in a terminal.
const WIDEST_PICTURE: u32 = 70;

#[derive(Debug, thiserror::Error)]
pub(crate) enum WorldError {
    #[error("{0}")]
    Broken(String),
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    #[error("{0}")]
    Address(ClientError),
    #[error("the map service: {0}")]
    Service(#[from] ClientError),
    #[error("{0}")]
    MapAddress(String),
    #[error("the game service knows no map service; name its address with --map-url")]
    NoMap,
    #[error("{path} cannot be written: {fault}", path = path.display())]
    File { path: PathBuf, fault: io::Error },
    #[error(transparent)]
    Output(#[from] CommandError),
}

impl WorldError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Mismatch(mismatch) if mismatch.cannot_be_checked() => 2,
            Self::Broken(_) | Self::Mismatch(_) => 1,
            Self::Address(_)
            | Self::MapAddress(_)
            | Self::NoMap
            | Self::Service(_)
            | Self::File { .. }
            | Self::Output(_) => 2,
        }
    }
}

pub(crate) async fn world(args: &WorldArgs) -> Result<(), WorldError> {
    match &args.command {
        WorldCommand::Preview(args) => preview(args).await,
        WorldCommand::Check(args) => check(args).await,
        WorldCommand::Verify(args) => verify(args).await,
    }
}

async fn preview(args: &PreviewArgs) -> Result<(), WorldError> {
    let seed = args.seed.unwrap_or_else(|| SystemChance.bits() & SEEDS.end());
    let spec = Spec { players: args.players, style: args.style.into() };
    let layout = generate(seed, &spec);
    if args.output.json {
        return Ok(print(format!("{}\n", json::preview(&layout, spec, seed))).await?);
    }
    let plural = if spec.players == 1 { "" } else { "s" };
    let title = format!("a {} world for {} player{plural}, seed {seed}", spec.style.as_str(), spec.players);
    let mut text = format!("{title}\n\n");
    if layout.side <= WIDEST_PICTURE {
        text += &picture::draw(&layout, args.output.paint().is_on);
    } else {
        text += "The world is too wide for a terminal: --svg FILE draws it.\n";
    }
    text += "\n";
    text += &certificate::describe(&layout, spec);
    if let Some(path) = &args.svg {
        let fault = |fault| WorldError::File { path: path.clone(), fault };
        std::fs::write(path, svg::draw(&layout, &title)).map_err(fault)?;
        let _ = writeln!(text, "\ndrawn into {}", path.display());
    }
    Ok(print(text).await?)
}

async fn check(args: &CheckArgs) -> Result<(), WorldError> {
    let report = check::check(args);
    print(if args.output.json { report.json() } else { report.table() }).await?;
    if report.broken.is_empty() { Ok(()) } else { Err(WorldError::Broken(report.broken_worlds())) }
}

async fn verify(args: &VerifyArgs) -> Result<(), WorldError> {
    let url = args.address.url().await.map_err(WorldError::Address)?.ok_or(WorldError::NoMap)?;
    let map = MapClient::new(&url).map_err(|fault| WorldError::MapAddress(bad_address("map", &fault)))?;
    let gameworld = map.gameworld(args.id).await?;
    let secret = verify::secret_of(&gameworld)?;
    let planets = map.placed_planets(args.id).await?;
    let fairness = map.fairness(args.id).await?;
    let compared = verify::verify(&gameworld, &secret, &planets, &fairness)?;
    let text =
        if args.output.json { format!("{}\n", json::verified(&gameworld, planets.len())) } else { compared };
    Ok(print(text).await?)
}
