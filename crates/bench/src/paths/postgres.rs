//! The map service on PostgreSQL, where its programs are installed: beside its own benchmark, by several replicas, and beside embedded.

use super::{Figure, MeasuredPath, Mode};
use crate::pairs::postgres;

pub(super) const POSTGRES: &[MeasuredPath] = &[
    MeasuredPath {
        name: "postgres-minings-64",
        what: "POST minings on PostgreSQL, 64 clients, durable",
        beside: "pgbench -N -M prepared -s 10 on the same server, 64 clients",
        at_least: 1.0,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| postgres::beside_pgbench(executable, 64),
    },
    MeasuredPath {
        name: "postgres-minings-1",
        what: "POST minings on PostgreSQL, 1 client, durable",
        beside: "the same, 1 client",
        at_least: 0.7,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| postgres::beside_pgbench(executable, 1),
    },
    MeasuredPath {
        name: "postgres-replicas-4",
        what: "POST minings on PostgreSQL, 4 replicas with 64 clients each, durable",
        beside: "1 replica with 64 clients on the same server",
        at_least: 0.7,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| postgres::replicas(executable, 4, 64),
    },
    MeasuredPath {
        name: "postgres-planet-64",
        what: "GET /planets/{id} on PostgreSQL, 64 clients, random ones of 100,000, 1 % mine",
        beside: "the same, embedded",
        at_least: 0.5,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| postgres::planets(executable, 64),
    },
];
