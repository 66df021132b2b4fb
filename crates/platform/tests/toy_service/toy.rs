//! A third service in less than 150 lines: one table, one route, one event, one task, and a stream that it follows.
//! It counts the greetings that it is sent, and those that another service tells of.

use std::sync::Arc;

use axum::extract::State;
use axum::{Router, middleware, routing};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::json;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_http_client::{EventStream, ServiceUrl, StartFrom};
use starkeep_platform::answer::Answer;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::decision::{Decided, Decision, Failure, apply};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::Domain;
use starkeep_platform::follow::follow;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::http::idempotency::once;
use starkeep_platform::idempotency::{AnswerRecorder, IdempotencyContext};
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::{Layers, Service};
use starkeep_platform::sql::PLATFORM_TABLES;
use starkeep_platform::sql::{Migration, SqlConnection, SqlFault, SqlTables, Statements};
use starkeep_platform::store::Store;
use starkeep_platform::tasks::Leader;
use starkeep_platform::values;
use utoipa::openapi::OpenApi;

pub(crate) enum Greetings {}

/// How many there were, and how far the other service's stream has been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Count {
    pub(crate) greetings: u64,
    pub(crate) position: Option<String>,
}

impl Domain for Greetings {
    type Key = ();
    type Image = Count;
    type Change = Count;
    type Rejection = ();

    fn absorb(image: &mut Count, change: &Count) {
        image.clone_from(change);
    }

    fn evict(_: &mut Count) {}
}

impl SqlTables for Greetings {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        "CREATE TABLE count (greetings INTEGER NOT NULL, position TEXT) STRICT; INSERT INTO count VALUES (0, NULL);",
    ]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Count, SqlFault>> {
        async move {
            let row = connection.query_row("SELECT greetings, position FROM count", &[]).await?;
            Ok(Count { greetings: row.get("greetings")?, position: row.get("position")? })
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Count], _: &DocumentWrites) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|Count { greetings, position }| {
            let update = "UPDATE count SET greetings = ?1, position = ?2";
            rows.run(update, values![*greetings, position.as_deref()])
        })
    }
}

pub(crate) struct Greeter {
    pub(crate) store: Arc<dyn Store<Greetings>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    /// The service whose greetings are counted, too.
    pub(crate) follows: Option<ServiceUrl>,
}

/// How many, and where they were learned from: one commit.
type Learned = (u64, Option<(Epoch, String)>);

impl Greeter {
    async fn greet(&self, learned: Learned, answer: AnswerRecorder<u64>) -> Result<u64, Failure<()>> {
        let (event_id, now) = (self.chance.uuid(), self.clock.wall());
        let (times, (epoch, read_up_to)) = (learned.0, learned.1.unzip());
        let decision = Decision::new(vec![], move |image: &Count| {
            let greetings = image.greetings + times;
            let (payload, about) = (json!({ "greetings": greetings }), About::subject(event_id));
            let event = NewEvent::new(Channel::Status, event_id, about, None, now, &payload);
            let position = read_up_to.clone().or_else(|| image.position.clone());
            let change = Count { greetings, position };
            Ok(Decided { change, events: vec![event], output: greetings })
        });
        apply(&*self.store, decision.record_answer(answer).fenced_by(epoch)).await
    }
}

async fn greet(
    State(greeter): State<Arc<Greeter>>,
    key: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    let count = greeter.greet((1, None), key.with(|count: &u64| Answer::created(count))).await;
    let nothing = |()| starkeep_contract::Problem::new(starkeep_contract::Code::Internal, "never refused");
    Ok(Answer::created(&count.map_err(|failure| failure.map(nothing))?))
}

impl Service for Greeter {
    fn name(&self) -> &'static str {
        "greeter"
    }

    fn channels(&self) -> &'static [Channel] {
        &[Channel::Status]
    }

    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes {
        let repeatable = middleware::from_fn_with_state(layers.idempotency.clone(), once);
        Router::new().route("/greetings", routing::post(greet)).layer(repeatable).with_state(self).into()
    }

    fn contract(&self) -> OpenApi {
        OpenApi::default()
    }

    fn start_tasks(self: Arc<Self>, leader: &Leader) {
        let Some(url) = self.follows.clone() else { return };
        leader.run("follower", move |task| {
            let (greeter, clock, epoch) = (self.clone(), self.clock.clone(), task.epoch());
            let from = self.store.image().position.clone().map_or(StartFrom::Start, StartFrom::After);
            let stream = EventStream::open(url.clone(), clock.clone(), from, &["status"]);
            follow(task, clock, stream, move |items, position| {
                let (greeter, times) = (greeter.clone(), items.len() as u64);
                async move {
                    let count = greeter.greet((times, Some((epoch, position))), AnswerRecorder::none()).await;
                    count.map(drop).map_err(|failure| format!("{failure:?}"))
                }
            })
        });
    }
}
