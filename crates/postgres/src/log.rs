//! The event log's rows in PostgreSQL: appended as columns, so that any number of events is one statement; read page by page.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, TryFutureExt as _};
use jiff::Timestamp;
use starkeep_contract::events::{About, Channel, EventType, NewEvent};
use starkeep_platform::events::{CommittedEvent, Log, Pages};
use starkeep_platform::sql::log::{bounds, oldest};
use starkeep_platform::sql::{Row, SqlFault};
use uuid::Uuid;

use crate::connection::Session;
use crate::pipeline::Pipeline;
use crate::readers::Readers;
use crate::values::Parameter;

/// How many events are read at once by a replica that has fallen behind.
const AT_ONCE: i64 = 10_000;

const APPEND: &str =
    "INSERT INTO event_log (position, event_id, channel, key, transaction_id, at_millis, payload, detail,
                            type, transaction_text, round, player, robot)
     SELECT * FROM unnest(?1::bigint[], ?2::uuid[], ?3::text[], ?4::uuid[], ?5::uuid[], ?6::bigint[], ?7::text[],
                          ?8::text[], ?9::text[], ?10::text[], ?11::bigint[], ?12::uuid[], ?13::uuid[])";

/// The same for a single event, which most batches of a quiet service have: columns would take three times as long.
const APPEND_ONE: &str =
    "INSERT INTO event_log (position, event_id, channel, key, transaction_id, at_millis, payload, detail,
                            type, transaction_text, round, player, robot)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Appends the events after `head`.
pub(crate) fn append(pipeline: &mut Pipeline, head: u64, events: &[NewEvent]) {
    match events {
        [] => {}
        [event] => append_one(pipeline, head + 1, event),
        events => append_all(pipeline, head, events),
    }
}

fn append_one(pipeline: &mut Pipeline, position: u64, event: &NewEvent) {
    let integer = |value: Option<i64>| value.map_or(Parameter::Null, Parameter::Integer);
    let uuid = |value: Option<Uuid>| value.map_or(Parameter::Null, Parameter::Uuid);
    let text = |value: Option<String>| value.map_or(Parameter::Null, Parameter::Text);
    pipeline.push(
        APPEND_ONE,
        vec![
            Parameter::Integer(position.cast_signed()),
            Parameter::Uuid(event.event_id),
            Parameter::Text(event.channel.name().to_owned()),
            Parameter::Uuid(event.about.subject),
            uuid(event.transaction_id),
            Parameter::Integer(event.timestamp.as_millisecond()),
            Parameter::Text(event.payload.clone()),
            text(event.detail.clone()),
            text(own_type(event)),
            text(event.transaction_text.clone()),
            integer(event.about.round.map(i64::from)),
            uuid(event.about.player),
            uuid(event.about.robot),
        ],
    );
}

/// Where it is not the channel's own.
fn own_type(event: &NewEvent) -> Option<String> {
    let own_type = Some(event.event_type).filter(|kind| *kind != event.channel.event_type());
    own_type.map(|kind| EventType::name(kind).to_owned())
}

fn append_all(pipeline: &mut Pipeline, head: u64, events: &[NewEvent]) {
    let integers =
        |value: fn(&NewEvent) -> Option<i64>| Parameter::Integers(events.iter().map(value).collect());
    let uuids = |value: fn(&NewEvent) -> Option<Uuid>| Parameter::Uuids(events.iter().map(value).collect());
    let texts = |value: fn(&NewEvent) -> Option<String>| Parameter::Texts(events.iter().map(value).collect());
    let positions = (head + 1..).zip(events).map(|(position, _)| Some(position.cast_signed()));
    pipeline.push(
        APPEND,
        vec![
            Parameter::Integers(positions.collect()),
            uuids(|event| Some(event.event_id)),
            texts(|event| Some(event.channel.name().to_owned())),
            uuids(|event| Some(event.about.subject)),
            uuids(|event| event.transaction_id),
            integers(|event| Some(event.timestamp.as_millisecond())),
            texts(|event| Some(event.payload.clone())),
            texts(|event| event.detail.clone()),
            texts(own_type),
            texts(|event| event.transaction_text.clone()),
            integers(|event| event.about.round.map(i64::from)),
            uuids(|event| event.about.player),
            uuids(|event| event.about.robot),
        ],
    );
}

macro_rules! events {
    ($which:literal) => {
        concat!(
            "SELECT position, event_id, channel, key, transaction_id, at_millis, payload,
                    type, transaction_text, round, player, robot FROM event_log WHERE ",
            $which
        )
    };
}

/// The first events after the number.
pub(crate) async fn after(session: &Session, number: u64) -> Result<Vec<Arc<CommittedEvent>>, SqlFault> {
    let values = vec![Parameter::Integer(number.cast_signed()), Parameter::Integer(AT_ONCE)];
    let rows = session.rows(events!("position > ?1 ORDER BY position LIMIT ?2"), values).await?;
    rows.iter().map(|row| committed(row).map(Arc::new)).collect()
}

async fn between(session: &Session, first: u64, last: u64) -> Result<Vec<CommittedEvent>, SqlFault> {
    let values = vec![Parameter::Integer(first.cast_signed()), Parameter::Integer(last.cast_signed())];
    let rows = session.rows(events!("position BETWEEN ?1 AND ?2 ORDER BY position"), values).await?;
    rows.iter().map(committed).collect()
}

async fn about(
    session: &Session,
    subject: Uuid,
    after: u64,
    most: u32,
) -> Result<Vec<CommittedEvent>, SqlFault> {
    let values = vec![
        Parameter::Uuid(subject),
        Parameter::Integer(after.cast_signed()),
        Parameter::Integer(most.into()),
    ];
    let rows = session.rows(events!("key = ?1 AND position > ?2 ORDER BY position LIMIT ?3"), values).await?;
    rows.iter().map(committed).collect()
}

/// The log as it is in the session's snapshot.
pub(crate) async fn open(session: &Session) -> Result<Log, SqlFault> {
    let epoch = session.rows("SELECT epoch FROM installation", Vec::new()).await?;
    let epoch: Uuid = epoch.first().ok_or_else(|| SqlFault::unreadable("there is no epoch"))?.get("epoch")?;
    let (oldest, head) = bounds(session).await?;
    let newest = between(session, Log::first_of_newest_page(head), head).await?;
    Ok(Log::open(epoch.as_u64_pair().0, oldest, head, newest))
}

fn committed(row: &Row) -> Result<CommittedEvent, SqlFault> {
    let channel = row.word("channel", Channel::from_name)?;
    let event_type = match row.get::<Option<String>>("type")? {
        None => channel.event_type(),
        Some(own) => EventType::from_name(channel, &own)
            .ok_or_else(|| SqlFault::unreadable(format_args!("type is `{own}`, which is not known")))?,
    };
    let event = NewEvent {
        channel,
        event_type,
        event_id: row.get("event_id")?,
        about: About {
            subject: row.get("key")?,
            round: row.get("round")?,
            player: row.get("player")?,
            robot: row.get("robot")?,
        },
        transaction_id: row.get("transaction_id")?,
        transaction_text: row.get("transaction_text")?,
        timestamp: row.get::<Timestamp>("at_millis")?,
        payload: row.get("payload")?,
        detail: None,
    };
    Ok(CommittedEvent::new(row.get("position")?, event))
}

impl Pages for Readers {
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        self.ask(move |session| between(session, first, last).boxed()).boxed()
    }

    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        self.ask(move |session| about(session, subject, after, most).boxed()).boxed()
    }

    fn oldest(&self) -> BoxFuture<'_, Result<Option<u64>, String>> {
        self.ask(|session| oldest(session).map_ok(Some).boxed()).boxed()
    }
}
