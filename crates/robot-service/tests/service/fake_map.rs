//! A map service in memory that behaves as a test says: it answers, refuses, is away, loses an answer, or delays one.
//! It takes from a planet once for each key, and counts what it gave.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::BoxFuture;
use starkeep_robot_core::{CommandId, MiningRefusal, Neighbour, Planet, PlanetFault, PlanetId, ResourceKind};
use starkeep_robot_service::ports::{Map, MiningAnswer, MiningCall, PlanetFailure};
use tokio::sync::watch;
use uuid::Uuid;

/// How the map reacts to a mining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answers,
    Refuses(MiningRefusal),
    /// The connection is refused.
    Away,
    /// Nothing is mined, and no answer comes.
    FailsSilently,
    /// Something is mined, and the answer is lost.
    LosesItsAnswer,
}

#[derive(Default)]
struct State {
    planets: BTreeMap<PlanetId, Planet>,
    faults: BTreeMap<PlanetId, PlanetFault>,
    /// Of the next questions.
    next_faults: VecDeque<PlanetFault>,
    /// What is left in each deposit.
    deposits: BTreeMap<PlanetId, u64>,
    given: BTreeMap<CommandId, u64>,
    questions: Vec<PlanetId>,
    calls: Vec<MiningCall>,
    /// Of the next minings; then it answers.
    behaviours: VecDeque<Behaviour>,
    /// However many minings come.
    always: Option<Behaviour>,
}

pub(crate) struct FakeMap {
    state: Mutex<State>,
    arrived: watch::Sender<usize>,
    /// Where a call waits as long as this is false.
    before_telling: watch::Sender<bool>,
    before_mining: watch::Sender<bool>,
    after_mining: watch::Sender<bool>,
}

pub(crate) fn planet_id(number: u128) -> Uuid {
    Uuid::from_u128((0xb1 << 120) | number)
}

impl FakeMap {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            arrived: watch::Sender::new(0),
            before_telling: watch::Sender::new(true),
            before_mining: watch::Sender::new(true),
            after_mining: watch::Sender::new(true),
        })
    }

    /// Adds a planet; its neighbours are numbers and directions of others, whose difficulty is theirs.
    pub(crate) fn add(&self, number: u128, difficulty: u32, deposit: Option<(ResourceKind, u64)>) -> Uuid {
        let id = PlanetId(planet_id(number));
        let planet = Planet {
            id,
            movement_difficulty: difficulty,
            is_station: deposit.is_none(),
            resource: deposit.map(|(kind, _)| kind),
            neighbours: Vec::new(),
        };
        let mut state = self.state();
        state.planets.insert(id, planet);
        state.deposits.insert(id, deposit.map_or(0, |(_, amount)| amount));
        id.0
    }

    /// Lays the second planet to the east of the first.
    pub(crate) fn connect(&self, west: Uuid, east: Uuid) {
        let mut state = self.state();
        for (from, to, direction) in [(west, east, "east"), (east, west, "west")] {
            let (from, to) = (PlanetId(from), PlanetId(to));
            let movement_difficulty = state.planets[&to].movement_difficulty;
            let neighbour = Neighbour { planet: to, movement_difficulty, direction: direction.to_owned() };
            state.planets.get_mut(&from).expect("a planet").neighbours.push(neighbour);
        }
    }

    pub(crate) fn break_planet(&self, planet: Uuid, fault: PlanetFault) {
        self.state().faults.insert(PlanetId(planet), fault);
    }

    /// The next question is not answered, whichever it is.
    pub(crate) fn miss_question(&self) {
        self.state().next_faults.push_back(PlanetFault::NoAnswer);
    }

    pub(crate) fn repair(&self) {
        let mut state = self.state();
        state.faults.clear();
        state.behaviours.clear();
        state.always = None;
    }

    pub(crate) fn behave_next(&self, behaviours: impl IntoIterator<Item = Behaviour>) {
        self.state().behaviours.extend(behaviours);
    }

    pub(crate) fn behave(&self, always: Behaviour) {
        self.state().always = Some(always);
    }

    /// Planets are asked for, and not told of until the release.
    pub(crate) fn hold_planets(&self) {
        self.before_telling.send_replace(false);
    }

    /// Calls arrive, and nothing is mined until the release.
    pub(crate) fn hold_calls(&self) {
        self.before_mining.send_replace(false);
    }

    /// It is mined, and not answered until the release.
    pub(crate) fn hold_answers(&self) {
        self.after_mining.send_replace(false);
    }

    pub(crate) fn release(&self) {
        self.before_telling.send_replace(true);
        self.before_mining.send_replace(true);
        self.after_mining.send_replace(true);
    }

    /// Returns when so many minings have arrived in all.
    pub(crate) async fn minings_arrived(&self, count: usize) {
        self.arrived.subscribe().wait_for(|arrived| *arrived >= count).await.expect("the map is alive");
    }

    pub(crate) fn calls(&self) -> Vec<MiningCall> {
        self.state().calls.clone()
    }

    /// How often it was asked for a planet.
    pub(crate) fn questions(&self) -> usize {
        self.state().questions.len()
    }

    pub(crate) fn left(&self, planet: Uuid) -> u64 {
        self.state().deposits[&PlanetId(planet)]
    }

    /// What was taken from all planets.
    pub(crate) fn given(&self) -> u64 {
        self.state().given.values().sum()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the lock")
    }

    fn mine_now(&self, call: &MiningCall, behaviour: Behaviour) -> MiningAnswer {
        let mut state = self.state();
        let key = call.site.miners[0].order.command;
        let take = |state: &mut State| {
            if let Some(given) = state.given.get(&key) {
                return *given;
            }
            let left = state.deposits.get_mut(&call.site.planet).expect("a planet");
            let given = call.site.requested().min(*left);
            *left -= given;
            state.given.insert(key, given);
            given
        };
        match behaviour {
            Behaviour::Answers => MiningAnswer::Mined(take(&mut state)),
            Behaviour::LosesItsAnswer => {
                take(&mut state);
                MiningAnswer::Unknown
            }
            // A key that was answered before is answered alike.
            Behaviour::Refuses(_) if state.given.contains_key(&key) => MiningAnswer::Mined(state.given[&key]),
            Behaviour::Refuses(refusal) => MiningAnswer::Refused(refusal),
            Behaviour::Away => MiningAnswer::NotTaken,
            Behaviour::FailsSilently => MiningAnswer::Unknown,
        }
    }
}

impl Map for FakeMap {
    fn planet(&self, planet: PlanetId) -> BoxFuture<'_, Result<Planet, PlanetFailure>> {
        Box::pin(async move {
            pass(&self.before_telling).await;
            let mut state = self.state();
            state.questions.push(planet);
            let fault = state.faults.get(&planet).copied().or_else(|| state.next_faults.pop_front());
            let told = match fault {
                Some(fault) => Err(fault),
                None => state.planets.get(&planet).cloned().ok_or(PlanetFault::Unknown),
            };
            told.map_err(|fault| PlanetFailure { fault, may_pass: fault == PlanetFault::NoAnswer })
        })
    }

    fn mine<'a>(&'a self, call: &'a MiningCall) -> BoxFuture<'a, MiningAnswer> {
        Box::pin(async move {
            let behaviour = {
                let mut state = self.state();
                state.calls.push(call.clone());
                let next = state.behaviours.pop_front();
                next.or(state.always).unwrap_or(Behaviour::Answers)
            };
            self.arrived.send_modify(|arrived| *arrived += 1);
            pass(&self.before_mining).await;
            let answer = self.mine_now(call, behaviour);
            pass(&self.after_mining).await;
            answer
        })
    }

    fn fault(&self) -> Option<String> {
        (self.state().always == Some(Behaviour::Away)).then(|| "http://map: nobody is there".to_owned())
    }
}

async fn pass(gate: &watch::Sender<bool>) {
    gate.subscribe().wait_for(|open| *open).await.expect("the map is alive");
}
