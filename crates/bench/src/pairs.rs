//! Both sides of each path, started and prepared over the public interface wherever it is quick enough.
//! What they are then asked, and what the figures mean, is said in `paths`; here they are by subject.

pub(crate) mod clocks;
pub(crate) mod growth;
pub(crate) mod latencies;
pub(crate) mod memory;
pub(crate) mod postgres;
pub(crate) mod reads;
pub(crate) mod relay;
pub(crate) mod rounds;
pub(crate) mod streams;
pub(crate) mod worlds;
pub(crate) mod writes;

use crate::failure::Failure;
use crate::load::{Asked, Load};
use crate::program::Server;
use crate::sample::{Sample, Slice};

/// Both sides of a path, running and ready to be measured in turns.
pub(crate) struct Pair {
    pub(crate) ours: Measure,
    pub(crate) bare: Measure,
}

/// Takes one slice of one side; owns the process that it measures.
pub(crate) type Measure = Box<dyn FnMut(Slice) -> Result<Sample, Failure>>;

/// So many clients send these requests, which have the same answer.
fn under_load(
    server: Server,
    requests: impl IntoIterator<Item = Vec<u8>>,
    clients: usize,
    expected: u16,
) -> Measure {
    let asked = requests.into_iter().map(|request| Asked { request, expected });
    loaded(Load::prepared(server.address, asked, clients), server)
}

fn loaded(load: Load, server: Server) -> Measure {
    Box::new(move |slice| server.metered(|| load.run(slice)))
}
