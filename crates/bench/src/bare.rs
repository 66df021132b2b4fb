//! The bare programs that the real one is measured beside: the same libraries, well used, and nothing of the
//! domain.
//! They are run by this very executable as child processes, so that both sides pay for a process of their
//! own.

mod commit;
mod deadlines;
mod produce;
mod static_body;
mod stream;
mod writer;

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::Router;
use axum::serve::ListenerExt as _;
use clap::Subcommand;
use tokio::net::TcpListener;

pub(crate) use self::produce::{Produced, Record};
use self::writer::Writer;
pub(crate) use self::writer::{ROWS, Stored};
use crate::failure::{During, Failure};
use crate::lateness::Deadlines;

#[derive(Subcommand)]
pub(crate) enum Bare {
    /// Answers GET /planets/{id}, /games and /games/{id}/time with the bytes of a file, and commits as `commit` does.
    Static {
        /// The body of every answer.
        #[arg(long)]
        bytes_file: PathBuf,
        /// The content type of every answer.
        #[arg(long, default_value = "application/json")]
        content_type: String,
        /// Where the database is made.
        #[arg(long)]
        dir: PathBuf,
    },
    /// Streams the same event again and again at GET /events.
    Stream {
        /// The data of each event.
        #[arg(long)]
        data_file: PathBuf,
    },
    /// Commits for every POST /planets/{n}/minings, as many in one commit as are waiting, and shows it at GET /events.
    Commit {
        /// Where the database is made.
        #[arg(long)]
        dir: PathBuf,
        /// What is changed for each.
        #[arg(long)]
        stored: Stored,
    },
    /// Sends the same record again and again to a Kafka broker, and says how long that took.
    Produce {
        #[arg(long)]
        broker: String,
        #[arg(long)]
        topic: String,
        #[arg(long)]
        records: u32,
        /// A record as JSON: its key, headers and payload.
        #[arg(long)]
        record_file: PathBuf,
    },
    /// Commits a row for every deadline of its timers, and shows at GET /health how late that was.
    Deadlines {
        /// Where the database is made.
        #[arg(long)]
        dir: PathBuf,
        /// Each has two deadlines a round, after three quarters of it and at its end.
        #[arg(long)]
        timers: u32,
        #[arg(long)]
        round_millis: u32,
    },
}

/// The settings of the real store.
const DURABLE: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";

pub(crate) fn run(bare: &Bare) -> Result<(), Failure> {
    let router = match bare {
        Bare::Static { bytes_file, content_type, dir } => {
            let body = std::fs::read(bytes_file).during("reading the static body")?;
            let writer = Writer::start(dir, Stored::RowAndEvent)?;
            static_body::router(body, content_type)?.merge(commit::router(writer))
        }
        Bare::Stream { data_file } => {
            stream::router(std::fs::read_to_string(data_file).during("reading the event")?)
        }
        Bare::Commit { dir, stored } => commit::router(Writer::start(dir, *stored)?),
        Bare::Produce { broker, topic, records, record_file } => {
            let record = std::fs::read_to_string(record_file).during("reading the record")?;
            return produce::run(broker, topic, *records, &record);
        }
        Bare::Deadlines { dir, timers, round_millis } => {
            deadlines::router(dir, Deadlines { games: *timers, round_millis: *round_millis })?
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .during("starting the bare program")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.during("listening")?;
        println!("listening on http://{}", listener.local_addr().during("listening")?);
        serve(listener, router).await
    })
}

async fn serve(listener: TcpListener, router: Router) -> Result<(), Failure> {
    let listener = listener.tap_io(|stream| {
        // A connection without it still answers, only later.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.during("serving")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::connection::Connection;
    use crate::http;
    use crate::load::{Asked, Load};
    use crate::sample::Slice;

    const SLICE: Slice = Slice { warm_up: Duration::ZERO, counted: Duration::from_millis(50) };

    /// Runs `test` on a blocking thread against the router, served on a free port.
    fn against(router: Router, test: impl FnOnce(SocketAddr)) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serve(listener, router));
        test(address);
    }

    #[test]
    fn the_static_program_answers_with_its_bytes() {
        let router = static_body::router(b"{\"id\":1}".to_vec(), "application/json; charset=utf-8").unwrap();
        against(router, |address| {
            http::exchange(address, &http::get(address, "/planets/any"), 200, |answer| {
                assert_eq!(answer.content_type, "application/json; charset=utf-8");
                assert_eq!(answer.body, b"{\"id\":1}");
                Ok(())
            })
            .unwrap();
        });
    }

    #[test]
    fn the_static_program_stands_a_load() {
        let router = static_body::router(vec![b' '; 40_000], "application/json").unwrap();
        against(router, |address| {
            let asked = |expected| {
                ["/planets/1", "/planets/2", "/games", "/games/1/time"]
                    .map(|path| Asked { request: http::get(address, path), expected })
            };
            let sample = Load::prepared(address, asked(200), 3).run(SLICE).unwrap();
            assert!(sample.per_second > 0.0 && sample.p50_micros <= sample.p99_micros, "{sample:?}");
            assert_eq!(sample.count, sample.done, "without a warm-up");

            let unmet = Load::prepared(address, asked(201), 3).run(SLICE).unwrap_err().to_string();
            assert!(unmet.starts_with("expected 201, got 200"), "{unmet}");
        });
    }

    #[test]
    fn the_streaming_program_is_read_by_many_at_once() {
        against(stream::router("{}".to_owned()), |address| {
            let request = http::get_stream(address, "/events").into();
            let streaming = crate::streaming::Streaming { address, request, readers: 3 };
            assert!(streaming.run(SLICE).unwrap().per_second > 0.0);
        });
    }

    #[test]
    fn the_committing_program_answers_once_the_row_and_the_event_are_stored() {
        let directory = tempfile::tempdir().unwrap();
        against(committing(directory.path(), Stored::RowAndEvent), |address| {
            let body = r#"{"mining":{"amount_requested":5}}"#;
            for _ in 0..2 {
                let request = http::post(address, "/planets/7/minings", body);
                http::exchange(address, &request, 201, |answer| {
                    let mining: serde_json::Value =
                        serde_json::from_slice(answer.body).during("the answer")?;
                    assert_eq!(mining["amount_requested"], 5);
                    assert!((300..=360).contains(&answer.body.len()), "{} bytes", answer.body.len());
                    Ok(())
                })
                .unwrap();
            }
        });
        assert_eq!(writer::stored(directory.path(), 7), (10, 2));
    }

    #[test]
    fn a_chain_is_as_many_commits_and_a_row_alone_has_no_event() {
        for (stored, events) in [(Stored::RowAndEvent, 4), (Stored::Row, 0)] {
            let directory = tempfile::tempdir().unwrap();
            against(committing(directory.path(), stored), |address| {
                let request = http::post(address, "/chains/9", r#"{"commits":4}"#);
                http::exchange(address, &request, 204, |_| Ok(())).unwrap();
            });
            assert_eq!(writer::stored(directory.path(), 9), (4, events));
        }
    }

    #[test]
    fn who_reads_its_events_is_told_of_each_commit() {
        let directory = tempfile::tempdir().unwrap();
        against(committing(directory.path(), Stored::RowAndEvent), |address| {
            let mut reader = Connection::open(address).unwrap();
            reader.send(&http::get_stream(address, "/events")).unwrap();
            while reader.line().unwrap() != ": live" {}
            let request = http::post(address, "/planets/7/minings", r#"{"mining":{"amount_requested":5}}"#);
            http::exchange(address, &request, 201, |_| Ok(())).unwrap();
            let told =
                std::iter::repeat_with(|| reader.line().unwrap()).find(|line| line.starts_with("data: "));
            assert!(told.unwrap().contains("6f2a1c04-58be-4d7e-9a31-000000000007"));
        });
    }

    fn committing(directory: &std::path::Path, stored: Stored) -> Router {
        commit::router(Writer::start(directory, stored).unwrap())
    }

    #[test]
    fn the_deadline_program_shows_how_late_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let deadlines = Deadlines { games: 3, round_millis: 20 };
        against(deadlines::router(directory.path(), deadlines).unwrap(), |address| {
            // It is asked until it has a figure, which is after a round of 20 ms.
            let deadline = crate::clock::now() + crate::load::HANG_LIMIT;
            let samples = std::iter::repeat_with(|| deadlines.sample_at(address));
            let sample = samples.take_while(|_| crate::clock::now() < deadline).find_map(Result::ok);
            let sample = sample.expect("a round was played");
            assert!(sample.p50_micros > 0.0 && sample.p50_micros <= sample.p99_micros, "{sample:?}");
        });
    }
}
