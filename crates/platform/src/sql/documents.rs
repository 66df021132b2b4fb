//! Documents as rows of a database: the same statements for SQLite and for PostgreSQL.

use futures::FutureExt as _;
use futures::future::{BoxFuture, try_join_all};

use super::{
    Load, Migration, PLATFORM_TABLES, PostgresTables, Row, SqlConnection, SqlFault, SqlTables, Statements,
};
use crate::document_writes::{DocumentWrite, DocumentWrites, KeyRange, Lookup};
use crate::documents::{Document, Documents, Question, Unreadable, put};
use crate::values;

impl From<Unreadable> for SqlFault {
    fn from(unreadable: Unreadable) -> Self {
        Self::Unreadable(unreadable.to_string())
    }
}

const ASCENDING: &str =
    "SELECT key, form, body FROM document WHERE kind = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4";
const DESCENDING: &str = "SELECT key, form, body FROM document WHERE kind = ?1 AND key >= ?2 AND key < ?3 ORDER BY key DESC LIMIT ?4";
const BY_LOOKUP: &str = "SELECT document.key AS key, form, body FROM lookup
     JOIN document ON document.kind = ?1 AND document.key = lookup.key
     WHERE lookup.name = ?5 AND lookup.value >= ?2 AND lookup.value < ?3 ORDER BY lookup.value LIMIT ?4";
const BY_LOOKUP_DESCENDING: &str = "SELECT document.key AS key, form, body FROM lookup
     JOIN document ON document.kind = ?1 AND document.key = lookup.key
     WHERE lookup.name = ?5 AND lookup.value >= ?2 AND lookup.value < ?3 ORDER BY lookup.value DESC LIMIT ?4";

const PUT: &str = "INSERT INTO document (kind, key, form, body) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (kind, key) DO UPDATE SET form = excluded.form, body = excluded.body";

async fn ask(connection: &dyn SqlConnection, question: Question) -> Result<Vec<Document>, SqlFault> {
    let Question { kind, lookup, from, below, most, is_descending } = question;
    let found = match (lookup, is_descending) {
        (None, false) => connection.query(ASCENDING, values![kind, &from, &below, most]),
        (None, true) => connection.query(DESCENDING, values![kind, &from, &below, most]),
        (Some(name), false) => connection.query(BY_LOOKUP, values![kind, &from, &below, most, name]),
        (Some(name), true) => {
            connection.query(BY_LOOKUP_DESCENDING, values![kind, &from, &below, most, name])
        }
    };
    let document = |row: &Row| {
        let (key, form, body) = (row.bytes("key")?.to_vec(), row.get("form")?, row.get("body")?);
        Ok(Document { kind, key, form, body })
    };
    found.await?.iter().map(document).collect()
}

/// In the order of the questions.
pub(super) async fn ask_each(
    connection: &dyn SqlConnection,
    questions: Vec<Question>,
) -> Result<Vec<Vec<Document>>, SqlFault> {
    try_join_all(questions.into_iter().map(|question| ask(connection, question))).await
}

impl<D: Documents> SqlTables for D {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[PLATFORM_TABLES]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<D::Image, SqlFault>> {
        async move {
            let mut image = D::Image::default();
            for step in 0.. {
                let questions = D::start(&image, step);
                if questions.is_empty() {
                    break;
                }
                for document in ask_each(connection, questions).await?.iter().flatten() {
                    put::<D>(&mut image, document)?;
                }
            }
            Ok(image)
        }
        .boxed()
    }

    fn lacks(image: &D::Image, key: &D::Key) -> bool {
        <D as Documents>::lacks(image, key)
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        (): &'a (),
        key: &'a D::Key,
    ) -> BoxFuture<'a, Result<Load<D::Image>, SqlFault>> {
        async move {
            let found = ask_each(connection, D::wanted(key)).await?.concat();
            let key = key.clone();
            let load: Load<D::Image> = Box::new(move |image| {
                // Asked again, because another key may have brought it meanwhile.
                if <D as Documents>::lacks(image, &key) {
                    D::found(image, &key, &found)?;
                }
                Ok(())
            });
            Ok(load)
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, _: &[D::Change], documents: &DocumentWrites) -> Result<(), SqlFault> {
        save(rows, documents)
    }
}

const REMOVE_RANGE: &str = "DELETE FROM document WHERE kind = ?1 AND key >= ?2 AND key < ?3";
const REMOVE_FOUND: &str = "DELETE FROM document WHERE kind = ?1 AND key IN
     (SELECT key FROM lookup WHERE name = ?2 AND value >= ?3 AND value < ?4)";
const REMOVE_LOOKUPS: &str = "DELETE FROM lookup WHERE name = ?1 AND value >= ?2 AND value < ?3";
const REMOVE_LOOKUP: &str = "DELETE FROM lookup WHERE name = ?1 AND value = ?2";
const REMOVE: &str = "DELETE FROM document WHERE kind = ?1 AND key = ?2";
const INSERT_LOOKUP: &str = "INSERT INTO lookup (name, value, key) VALUES (?1, ?2, ?3)";

fn save(rows: &mut dyn Statements, writes: &DocumentWrites) -> Result<(), SqlFault> {
    for KeyRange { name, from, below } in &writes.removed {
        rows.run(REMOVE_RANGE, values![*name, from, below])?;
    }
    for (kind, KeyRange { name, from, below }) in &writes.removed_by {
        rows.run(REMOVE_FOUND, values![*kind, *name, from, below])?;
        rows.run(REMOVE_LOOKUPS, values![*name, from, below])?;
    }
    for Lookup { name, value } in &writes.removed_lookups {
        rows.run(REMOVE_LOOKUP, values![*name, value])?;
    }
    for DocumentWrite { kind, key, body } in &writes.documents {
        match body {
            Some((form, body)) => rows.run(PUT, values![*kind, key, *form, body])?,
            None => rows.run(REMOVE, values![*kind, key])?,
        }
    }
    for (Lookup { name, value }, key) in &writes.lookups {
        rows.run(INSERT_LOOKUP, values![*name, value, key])?;
    }
    Ok(())
}

impl<D: Documents> PostgresTables for D {
    const FIRST_VERSION: usize = 1;
    const POSTGRES_MIGRATIONS: &'static [Migration] = &[&[]];
    const TABLES: &'static [&'static str] = &[];
    const POSITIONS: &'static [(&'static str, &'static str)] = &[];
}

#[cfg(test)]
mod tests {
    use crate::sqlite::SqliteConnection;

    use super::*;

    #[test]
    fn every_statement_finds_its_rows_by_a_key() {
        let connection = SqliteConnection::in_memory(&[&[PLATFORM_TABLES]]).unwrap();
        let connection = connection.lock();
        let reading = [ASCENDING, DESCENDING, BY_LOOKUP, BY_LOOKUP_DESCENDING];
        let removing = [REMOVE_RANGE, REMOVE_FOUND, REMOVE_LOOKUPS, REMOVE_LOOKUP, REMOVE];
        for sql in reading.into_iter().chain(removing) {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let steps: Vec<String> =
                plan.raw_query().mapped(|row| row.get("detail")).map(Result::unwrap).collect();
            let is_slow = |step: &String| step.contains("SCAN") || step.contains("TEMP B-TREE");
            assert!(!steps.is_empty() && !steps.iter().any(is_slow), "{sql}: {steps:?}");
        }
    }
}
