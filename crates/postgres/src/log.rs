//! The event log's rows in PostgreSQL: appended as columns, so that any number of events is one statement; read page by page.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, TryFutureExt as _};
use jiff::Timestamp;
use starkeep_contract::events::{About, Channel, EventType, NewEvent};
use starkeep_platform::events::{CommittedEvent, Log, Pages};
use starkeep_platform::sql::log::{bounds, index_full_pages, oldest};
use starkeep_platform::sql::{Row, SqlFault};
use uuid::Uuid;

use crate::connection::Session;
use crate::pipeline::Pipeline;
use crate::readers::Readers;
use crate::values::Parameter;

/// How many events are read at once by a replica that has fallen behind.
const AT_ONCE: i64 = 10_000;

const APPEND: &str = "INSERT INTO event_log (position, event_id, channel, type, subject, about, transaction_id,
                            transaction_text, at_millis, payload)
     SELECT * FROM unnest(?1::bigint[], ?2::uuid[], ?3::text[], ?4::text[], ?5::uuid[], ?6::bytea[], ?7::uuid[],
                          ?8::text[], ?9::bigint[], ?10::text[])";

/// The same for a single event, which most batches of a quiet service have: columns would take three times as long.
const APPEND_ONE: &str =
    "INSERT INTO event_log (position, event_id, channel, type, subject, about, transaction_id,
                            transaction_text, at_millis, payload)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// Appends the events after `head`.
pub(crate) fn append(pipeline: &mut Pipeline, head: u64, events: &[NewEvent]) -> Result<(), SqlFault> {
    match events {
        [] => {}
        [event] => append_one(pipeline, head + 1, event),
        events => append_all(pipeline, head, events),
    }
    index_full_pages(pipeline, head, events.len())
}

fn append_one(pipeline: &mut Pipeline, position: u64, event: &NewEvent) {
    let uuid = |value: Option<Uuid>| value.map_or(Parameter::Null, Parameter::Uuid);
    let text = |value: Option<String>| value.map_or(Parameter::Null, Parameter::Text);
    pipeline.push(
        APPEND_ONE,
        vec![
            Parameter::Integer(position.cast_signed()),
            Parameter::Uuid(event.event_id),
            Parameter::Text(event.channel.name().to_owned()),
            text(own_type(event)),
            Parameter::Uuid(event.about.subject),
            Parameter::Bytes(event.about.details()),
            uuid(event.transaction_id),
            text(event.transaction_text.clone()),
            Parameter::Integer(event.timestamp.as_millisecond()),
            Parameter::Text(event.payload.clone()),
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
            texts(own_type),
            uuids(|event| Some(event.about.subject)),
            Parameter::ByteStrings(events.iter().map(|event| event.about.details()).collect()),
            uuids(|event| event.transaction_id),
            texts(|event| event.transaction_text.clone()),
            integers(|event| Some(event.timestamp.as_millisecond())),
            texts(|event| Some(event.payload.clone())),
        ],
    );
}

macro_rules! events {
    ($which:literal) => {
        concat!(
            "SELECT event_log.position, event_id, channel, type, event_log.subject, about, transaction_id,
                    transaction_text, at_millis, payload FROM event_log ",
            $which
        )
    };
}

/// The first events after the number.
pub(crate) async fn after(session: &Session, number: u64) -> Result<Vec<Arc<CommittedEvent>>, SqlFault> {
    let values = vec![Parameter::Integer(number.cast_signed()), Parameter::Integer(AT_ONCE)];
    let rows = session.rows(events!("WHERE position > ?1 ORDER BY position LIMIT ?2"), values).await?;
    rows.iter().map(|row| committed(row).map(Arc::new)).collect()
}

async fn between(session: &Session, first: u64, last: u64) -> Result<Vec<CommittedEvent>, SqlFault> {
    let values = vec![Parameter::Integer(first.cast_signed()), Parameter::Integer(last.cast_signed())];
    let rows = session.rows(events!("WHERE position BETWEEN ?1 AND ?2 ORDER BY position"), values).await?;
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
    let select = events!(
        "JOIN event_subject AS found ON found.position = event_log.position
         WHERE found.subject = ?1 AND found.position > ?2 ORDER BY found.position LIMIT ?3"
    );
    let rows = session.rows(select, values).await?;
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
    let about = About::kept(row.get("subject")?, row.bytes("about")?);
    let event = NewEvent {
        channel,
        event_type,
        event_id: row.get("event_id")?,
        about: about.ok_or_else(|| SqlFault::unreadable("what an event is about cannot be read"))?,
        transaction_id: row.get("transaction_id")?,
        transaction_text: row.get("transaction_text")?,
        timestamp: row.get::<Timestamp>("at_millis")?,
        payload: row.get("payload")?,
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
