//! Files of `starkeep export` and `backup`, and the commands that write and read them. What must hold of them is the test's.

use std::path::Path;

use serde_json::Value;
use starkeep_test_postgres::Server;

use crate::program::{Ended, Program, run};

/// Where an installation is, in words of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Place([String; 2]);

impl Place {
    pub(crate) fn directory(path: &Path) -> Self {
        Self(["--data-dir".to_owned(), path.to_str().unwrap().to_owned()])
    }

    pub(crate) fn database(server: &Server, name: &str) -> Self {
        Self::url(&server.database(name))
    }

    pub(crate) fn url(url: &str) -> Self {
        Self(["--database-url".to_owned(), url.to_owned()])
    }

    pub(crate) async fn serve(&self) -> Program {
        Program::serve("all", &self.0).await
    }

    pub(crate) async fn serve_with(&self, flags: &[&str]) -> Program {
        let own: Vec<_> = self.0.iter().map(String::as_str).collect();
        Program::serve("all", &[&own[..], flags].concat()).await
    }

    /// Runs a command with the file and this place.
    pub(crate) async fn run(&self, command: &str, file: &Path) -> Ended {
        run(&[command, file.to_str().unwrap(), &self.0[0], &self.0[1]]).await
    }

    /// The same where it has to succeed; what it printed.
    pub(crate) async fn done(&self, command: &str, file: &Path) -> String {
        let ended = self.run(command, file).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{command}: {ended:?}");
        ended.stdout
    }

    /// The same where it cannot be; what was said about it.
    pub(crate) async fn refused(&self, command: &str, file: &Path) -> String {
        let ended = self.run(command, file).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{command}: {ended:?}");
        ended.stderr
    }

    pub(crate) fn arguments(&self) -> &[String; 2] {
        &self.0
    }
}

/// Stops it as an operator does.
pub(crate) async fn stopped(program: Program) {
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
}

/// The first line, and all rows of a file with their services and tables.
pub(crate) struct Content {
    pub(crate) manifest: Value,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) service: String,
    pub(crate) table: String,
    /// In the order of the manifest's columns.
    pub(crate) values: Vec<Value>,
}

impl Content {
    pub(crate) fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let manifest = lines.next().unwrap();
        let mut rows = Vec::new();
        for (service, table) in tables(&manifest) {
            for _ in 0..table["rows"].as_u64().unwrap() {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let values = lines.next().unwrap().as_array().unwrap().clone();
                rows.push(Row { service: text(&service["name"]), table: text(&table["name"]), values });
            }
        }
        Self { manifest, rows }
    }

    /// How many rows of each table there are.
    pub(crate) fn rows_of(&self, service: &str, table: &str) -> usize {
        self.rows.iter().filter(|row| row.service == service && row.table == table).count()
    }

    /// The bodies of all documents of a kind.
    pub(crate) fn documents(&self, service: &str, kind: &str) -> Vec<Value> {
        let is_wanted = |row: &&Row| row.service == service && row.table == "document";
        let documents = self.rows.iter().filter(is_wanted).map(|row| {
            let columns = self.columns_of(row);
            let value = |name: &str| &row.values[columns.iter().position(|column| column == name).unwrap()];
            (value("kind"), value("body").as_str().unwrap())
        });
        let wanted = documents.filter(|(found, _)| *found == kind);
        wanted.map(|(_, body)| serde_json::from_str(body).unwrap()).collect()
    }

    pub(crate) fn columns_of(&self, row: &Row) -> Vec<String> {
        let is_its = |(service, table): &(&Value, &Value)| {
            service["name"] == *row.service && table["name"] == *row.table
        };
        let (_, table) = tables(&self.manifest).into_iter().find(is_its).unwrap();
        let columns = table["columns"].as_array().unwrap().iter();
        columns.map(|column| column["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What positions in the log of each service begin with.
    pub(crate) fn epochs(&self) -> Vec<String> {
        let services = self.manifest["services"].as_array().unwrap().iter();
        services.map(|service| service["epoch"].as_str().unwrap().replace('-', "")[..16].to_owned()).collect()
    }
}

fn tables(manifest: &Value) -> Vec<(&Value, &Value)> {
    let services = manifest["services"].as_array().unwrap().iter();
    services
        .flat_map(|service| service["tables"].as_array().unwrap().iter().map(move |table| (service, table)))
        .collect()
}
