//! Databases that programs of every schema version have written: what they showed is shown today, and everything in them
//! goes on. What the files hold, and how the next one is made: `tests/fixtures/README.md`.

use serde_json::{Value, json};
use starkeep_test_harness::{EPOCH, FixtureFiles, post, text};

use crate::harness::TestMap;

pub(crate) struct Fixture {
    pub(crate) version: i64,
    pub(crate) map: TestMap,
    files: FixtureFiles,
    recorded: Value,
}

async fn newest_version() -> i64 {
    TestMap::new().await.schema_version()
}

impl Fixture {
    /// Each on a copy of its own, opened by today's service.
    pub(crate) async fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for files in FixtureFiles::all(env!("CARGO_MANIFEST_DIR"), newest_version().await) {
            let mut map = TestMap::new().await;
            map.reopen_on_fixture(&files).await;
            all.push(Self { version: files.version, map, recorded: files.recorded(), files });
        }
        all
    }

    pub(crate) fn world(&self, name: &str) -> String {
        text(&self.recorded[name])
    }

    fn list(&self, name: &str) -> &[Value] {
        self.recorded[name].as_array().unwrap()
    }

    async fn assert_balance(&self) {
        let health = self.map.get("/health").await;
        assert_eq!(health.status, 200, "schema {}", self.version);
        assert_eq!(health.body["parts"]["books"]["detail"], "all books balance", "schema {}", self.version);
        assert_eq!(health.body["parts"]["worlds"]["detail"], "1 active", "schema {}", self.version);
    }
}

#[tokio::test]
async fn a_database_of_any_version_shows_what_its_own_program_showed() {
    for fixture in Fixture::all().await {
        fixture.map.assert_shows_what_was_recorded(&fixture.files).await;
        fixture.assert_balance().await;
        assert_eq!(fixture.map.schema_version(), newest_version().await);
    }
}

#[tokio::test]
async fn every_planet_and_deposit_of_any_version_is_where_it_was() {
    for fixture in Fixture::all().await {
        for (world, recorded) in fixture.recorded["charts"].as_object().unwrap() {
            let chart = fixture.map.chart(world).await;
            let chart = chart.iter().map(|planet| {
                let resource = &planet["resource"];
                json!([
                    planet["x"],
                    planet["y"],
                    planet["id"],
                    planet["planet_type"],
                    resource["resource_type"],
                    resource["max_amount"],
                    resource["current_amount"]
                ])
            });
            assert_eq!(json!(chart.collect::<Vec<_>>()), *recorded, "schema {}", fixture.version);
        }
    }
}

#[tokio::test]
async fn an_answer_kept_by_any_version_is_given_again() {
    for fixture in Fixture::all().await {
        let events = fixture.map.count("event_log");
        assert!(!fixture.list("repeated").is_empty());
        for repeated in fixture.list("repeated") {
            let request = post(text(&repeated["path"])).text(text(&repeated["body"]));
            let reply = fixture.map.ask_without_contract(request.key(&text(&repeated["key"]))).await;
            assert_eq!(reply.headers["idempotency-replayed"], "true", "schema {}", fixture.version);
            assert_eq!((reply.status, &reply.body), (201, &repeated["answer"]));
        }
        assert_eq!(fixture.map.count("event_log"), events);
    }
}

#[tokio::test]
async fn worlds_of_any_version_are_mined_replenished_and_ended() {
    for fixture in Fixture::all().await {
        let (map, active) = (&fixture.map, fixture.world("active"));
        let chart = map.chart(&active).await;
        let full = |planet: &&Value| planet["resource"]["current_amount"].as_i64() == Some(10_000);
        let planet = text(&chart.iter().find(full).unwrap()["id"]);
        let mined = map.mine(&planet, 50).await;
        assert_eq!(mined.status, 201, "schema {}: {}", fixture.version, mined.body);
        let after = map.get(&format!("/planets/{planet}")).await.body["resource"]["current_amount"].as_i64();
        assert_eq!(after, Some(9_950), "schema {}", fixture.version);
        // One of those that are begun and not exhausted is filled up.
        let replenished = map.service().replenisher().step(EPOCH).await.unwrap();
        assert_eq!((replenished.worlds, replenished.deposits), (1, 1), "schema {}", fixture.version);
        fixture.assert_balance().await;

        let inactive = map.deposits(&fixture.world("inactive")).await[0].clone();
        assert_eq!(map.mine(&inactive, 1).await.status, 409, "schema {}", fixture.version);
        let withdrawn = json!({"gameworld": {"player_amount": 1, "id": fixture.world("withdrawn")}});
        assert_eq!(map.post("/gameworlds", withdrawn).await.refusal().1, "gameworld-gone");
        assert_eq!(map.deactivate(&active).await.body["status"], "inactive");
        let other = map.world().await;
        assert_eq!(map.mine(&map.deposits(&other).await[0], 1).await.status, 201);
        fixture.assert_balance().await;
    }
}
