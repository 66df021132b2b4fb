//! The map service on PostgreSQL: minings beside PostgreSQL's own benchmark and by several replicas, look-ups beside embedded ones.
//! Both sides share a server, each with a database of its own, so that a slow minute of its disk slows both.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::reads::looks_up;
use super::writes::planets_to_mine;
use super::{Measure, Pair};
use crate::failure::Failure;
use crate::load::{Asked, Load};
use crate::pgbench;
use crate::postgres::Postgres;
use crate::prepare::{self, Planet, create_world, mining};
use crate::program::Server;
use crate::sample::{Sample, Slice};
use crate::worlds::LARGEST;

/// PostgreSQL's benchmark counts whole seconds. The first one is that in which its clients begin. Commits on a disk swing: so all turns are
/// as long.
const TURN: Slice = Slice { warm_up: Duration::from_secs(1), counted: Duration::from_secs(3) };

pub(crate) fn beside_pgbench(executable: &Path, clients: usize) -> Result<Pair, Failure> {
    let postgres = Rc::new(Postgres::start()?);
    pgbench::initialise(&postgres)?;
    let ours = mined_by(executable, &postgres, 1, clients)?;
    Ok(Pair { ours, bare: Box::new(move |_| pgbench::run(&postgres, clients, TURN)) })
}

/// So many replicas with so many clients each, beside one.
pub(crate) fn replicas(executable: &Path, replicas: usize, clients: usize) -> Result<Pair, Failure> {
    let postgres = Rc::new(Postgres::start()?);
    Ok(Pair {
        ours: mined_by(executable, &postgres, replicas, clients)?,
        bare: mined_by(executable, &postgres, 1, clients)?,
    })
}

/// Minings by so many replicas of a database, which is made.
fn mined_by(
    executable: &Path,
    postgres: &Rc<Postgres>,
    replicas: usize,
    clients: usize,
) -> Result<Measure, Failure> {
    let database = postgres.new_database(&format!("replicas_{replicas}"))?;
    let start = |_| Server::starkeep_map_alone(executable, Some(&database));
    let servers = (0..replicas).map(start).collect::<Result<Vec<_>, _>>()?;
    let first = servers.first().ok_or_else(|| Failure::new("without a replica nothing is mined"))?;
    let planets = planets_to_mine(first)?;
    let asked = planets.iter().map(|id| Asked { request: mining(first.address, id), expected: 201 });
    let asked: Vec<_> = asked.collect();
    let addresses = servers.iter().map(|server| server.address).collect();
    let load = Load::prepared_for_all(addresses, asked, clients);
    let postgres = postgres.clone();
    Ok(Box::new(move |_| {
        let _lives_as_long = &postgres;
        metered(&servers, || load.run(TURN))
    }))
}

/// With the CPU time of all of them.
fn metered(servers: &[Server], measure: impl FnOnce() -> Result<Sample, Failure>) -> Result<Sample, Failure> {
    let cpu = || servers.iter().map(Server::cpu_seconds).sum::<Option<f64>>();
    let before = cpu();
    let explained = |failure| servers.iter().fold(failure, |failure, server| server.explained(failure));
    let sample = measure().map_err(explained)?;
    Ok(Sample { cpu_seconds: before.zip(cpu()).map(|(before, after)| after - before), ..sample })
}

/// Random planets of the largest world, some of which are mined meanwhile.
pub(crate) fn planets(executable: &Path, clients: usize) -> Result<Pair, Failure> {
    let postgres = Postgres::start()?;
    let database = postgres.new_database("planets")?;
    let mut ours = looked_up(Server::starkeep_map_alone(executable, Some(&database))?, clients)?;
    let mut bare = looked_up(Server::starkeep_map_alone(executable, None)?, clients)?;
    let ours = Box::new(move |_| {
        let _lives_as_long = &postgres;
        ours(TURN)
    });
    Ok(Pair { ours, bare: Box::new(move |_| bare(TURN)) })
}

fn looked_up(server: Server, clients: usize) -> Result<Measure, Failure> {
    let world = create_world(&server, LARGEST, 1)?;
    let planets = prepare::planets(&server, &world)?;
    let rich = planets.iter().filter(|planet| planet.is_rich()).map(|planet: &Planet| planet.id.clone());
    let rich: Vec<_> = rich.collect();
    Ok(looks_up(server, &planets, &rich, clients))
}
