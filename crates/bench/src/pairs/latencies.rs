//! How long news take at half load: events until a reader has them, commands until their results are told.
//! Both sides have the same load, which is half of what the real program can take.

use std::path::Path;
use std::time::Duration;

use super::writes::{planets_to_mine, rows};
use super::{Measure, Pair};
use crate::bare::Stored;
use crate::failure::Failure;
use crate::load::{Asked, Load};
use crate::open_loop::OpenLoop;
use crate::prepare::mining;
use crate::program::{Server, home};
use crate::results::{Bursts, Results};
use crate::sample::Slice;

/// Long enough to learn how much the program can take.
const TRIED: Slice = Slice { warm_up: Duration::from_millis(200), counted: Duration::from_millis(400) };

const CLIENTS: usize = 64;

pub(crate) fn commit_to_reader(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_map(executable, &home()?)?;
    let planets = planets_to_mine(&starkeep)?;
    let asked = planets.iter().map(|id| Asked { request: mining(starkeep.address, id), expected: 201 });
    let most = Load::prepared(starkeep.address, asked.collect::<Vec<_>>(), CLIENTS).run(TRIED);
    let per_second = most.map_err(|failure| starkeep.explained(failure))?.per_second / 2.0;

    let bare = Server::bare_commit(Stored::RowAndEvent)?;
    let named_by_row = |row: String| (row.clone(), format!("6f2a1c04-58be-4d7e-9a31-{row:0>12}"));
    let rows = rows(planets.len()).into_iter().map(named_by_row).collect();
    let planets = planets.into_iter().map(|id| (id.clone(), id)).collect();
    let stream = "/events?channels=resource-mined&after=end";
    let measured = |server: Server, mined| -> Measure {
        let open_loop = OpenLoop { address: server.address, mined, stream, per_second };
        Box::new(move |slice| server.metered(|| open_loop.run(slice)))
    };
    Ok(Pair { ours: measured(starkeep, planets), bare: measured(bare, rows) })
}

pub(crate) fn input_end_to_result(executable: &Path) -> Result<Pair, Failure> {
    let mut results = Results::prepare(executable)?;
    let (every, size) = results.pace();
    let mut bursts = Bursts::prepare(every, size)?;
    Ok(Pair {
        ours: Box::new(move |slice| results.run(slice)),
        bare: Box::new(move |slice| bursts.run(slice)),
    })
}
