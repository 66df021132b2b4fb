//! Worlds that are made by hand: they are as they were written, and what cannot be a world is refused with its place.
//! Lists that are long, deep or broken: see `imports`.

use serde_json::{Value, json};
use starkeep_test_harness::text;

use crate::harness::TestMap;

pub(crate) fn planet(x: i64, y: i64) -> Value {
    json!({"x": x, "y": y, "movement_difficulty": 1, "planet_type": "default"})
}

pub(crate) fn station(x: i64, y: i64) -> Value {
    json!({"x": x, "y": y, "movement_difficulty": 1, "planet_type": "spacestation"})
}

/// The value with one field replaced.
fn with(mut value: Value, field: &str, new: Value) -> Value {
    value[field] = new;
    value
}

pub(crate) fn request(planets: &Value) -> Value {
    json!({"gameworld": {"player_amount": 1, "planets": planets}})
}

async fn assert_nothing_was_made(map: &TestMap) {
    for table in ["world", "event_log", "answer"] {
        assert_eq!(map.count(table), 0, "{table}");
    }
    assert_eq!(map.get("/gameworlds").await.body, json!([]));
}

#[tokio::test]
async fn a_world_is_as_it_was_written_by_hand() {
    let map = TestMap::in_memory().await;
    let rich = json!({"resource_type": "gold", "max_amount": 500, "current_amount": 20});
    let planets = json!([
        with(
            with(planet(7, 4), "movement_difficulty", json!(20)),
            "resource",
            json!({"resource_type": "coal"})
        ),
        with(station(6, 4), "recharge_multiplicator", json!(99)),
        with(with(planet(6, 5), "resource", rich), "id", json!("any id")),
        planet(5, 5),
    ]);
    let made = map.post("/gameworlds", request(&planets)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!((&made.body["style"], &made.body["generator_version"]), (&json!("custom"), &Value::Null));
    assert_eq!(made.body["spacestation_ids"].as_array().unwrap().len(), 1);
    let chart = map.chart(&text(&made.body["id"])).await;
    let shown: Vec<Value> = chart
        .iter()
        .map(|planet| {
            let directions = planet["neighbours"].as_array().unwrap().iter();
            let directions: Vec<&Value> = directions.map(|neighbour| &neighbour["direction"]).collect();
            let resource = &planet["resource"];
            json!([
                planet["x"],
                planet["y"],
                planet["movement_difficulty"],
                planet["recharge_multiplicator"],
                planet["planet_type"],
                [resource["resource_type"], resource["current_amount"], resource["max_amount"]],
                directions,
            ])
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!([6, 4, 1, 2, "spacestation", [null, null, null], ["north", "east"]]),
            json!([7, 4, 20, 1, "default", ["coal", 10_000, 10_000], ["west"]]),
            json!([5, 5, 1, 1, "default", [null, null, null], ["east"]]),
            json!([6, 5, 1, 1, "default", ["gold", 20, 500], ["south", "west"]]),
        ]
    );
    assert!(chart.iter().all(|planet| planet["id"] != "any id"));
}

#[tokio::test]
async fn the_chart_of_a_world_makes_the_same_world_again() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let chart = map.chart(&world).await;
    let body = json!({"gameworld": {"player_amount": 2, "planets": chart}});
    let copy = map.post("/gameworlds", body).await;
    assert_eq!(copy.status, 201, "{}", copy.body);
    let copy = text(&copy.body["id"]);
    let places = |chart: &[Value]| -> Vec<Value> {
        let place = |planet: &Value| {
            let of_neighbour =
                |neighbour: &Value| json!([neighbour["direction"], neighbour["movement_difficulty"]]);
            let neighbours = planet["neighbours"].as_array().unwrap().iter().map(of_neighbour);
            let neighbours: Vec<Value> = neighbours.collect();
            json!([
                [planet["x"], planet["y"], planet["planet_type"], planet["movement_difficulty"]],
                [planet["recharge_multiplicator"], planet["resource"]["resource_type"]],
                [planet["resource"]["current_amount"], planet["resource"]["max_amount"]],
                neighbours,
            ])
        };
        chart.iter().map(place).collect()
    };
    let copied = map.chart(&copy).await;
    assert_eq!(places(&copied), places(&chart));
    assert!(copied.iter().zip(&chart).all(|(one, other)| one["id"] != other["id"]));
    let fairness = |world: String| {
        let map = &map;
        async move { map.get(&format!("/gameworlds/{world}/fairness")).await.body }
    };
    let (first, second) = (fairness(world).await, fairness(copy).await);
    let values = |fairness: &Value| -> Vec<Value> {
        fairness["stations"].as_array().unwrap().iter().map(|station| station["value"].clone()).collect()
    };
    assert_eq!(values(&first), values(&second));
    assert_eq!((&first["ratio"], &second["style"]), (&second["ratio"], &json!("custom")));
}

#[tokio::test]
async fn what_cannot_be_a_world_is_refused_with_its_place() {
    let map = TestMap::new().await;
    let resource = |resource: Value| with(planet(1, 0), "resource", resource);
    let second = |second: Value| json!([station(0, 0), second]);
    let cases = [
        (json!([]), "", "at least one planet"),
        (json!({}), "", "a list of at most 122500 objects"),
        (json!("all"), "", "a list of at most 122500 objects"),
        (json!([planet(0, 0)]), "", "`spacestation`"),
        (json!([[0, 0, 1, "default"]]), "[0]", "an object"),
        (json!([null]), "[0]", "an object"),
        (json!([{}]), "[0].x", "required field is missing"),
        (
            second(json!({"x": 1, "y": 0, "movement_difficulty": 1})),
            "[1].planet_type",
            "required field is missing",
        ),
        (
            second(json!({"x": 1, "y": 0, "planet_type": "default"})),
            "[1].movement_difficulty",
            "required field is missing",
        ),
        (second(planet(-1, 0)), "[1].x", "a whole number from 0 to 999"),
        (second(planet(0, 1000)), "[1].y", "a whole number from 0 to 999"),
        (second(planet(i64::MAX, 0)), "[1].x", "a whole number from 0 to 999"),
        (second(with(planet(1, 0), "x", json!(1.0))), "[1].x", "a whole number from 0 to 999"),
        (second(with(planet(1, 0), "x", json!("NaN"))), "[1].x", "a whole number from 0 to 999"),
        (second(with(planet(1, 0), "x", Value::Null)), "[1].x", "a whole number from 0 to 999"),
        (
            second(with(planet(1, 0), "movement_difficulty", json!(0))),
            "[1].movement_difficulty",
            "from 1 to 20",
        ),
        (
            second(with(planet(1, 0), "movement_difficulty", json!(21))),
            "[1].movement_difficulty",
            "from 1 to 20",
        ),
        (
            second(with(planet(1, 0), "movement_difficulty", json!(257))),
            "[1].movement_difficulty",
            "from 1 to 20",
        ),
        (second(with(planet(1, 0), "planet_type", json!("moon"))), "[1].planet_type", "`spacestation`"),
        (second(resource(json!([]))), "[1].resource", "an object"),
        (second(resource(json!("coal"))), "[1].resource", "an object"),
        (second(resource(json!({}))), "[1].resource.resource_type", "required field is missing"),
        (second(resource(json!({"resource_type": "Coal"}))), "[1].resource.resource_type", "`coal`"),
        (
            second(resource(json!({"resource_type": "coal", "max_amount": 0}))),
            "[1].resource.max_amount",
            "from 1 to 1000000000",
        ),
        (
            second(resource(json!({"resource_type": "coal", "current_amount": -1}))),
            "[1].resource.current_amount",
            "from 0 to 1000000000",
        ),
        (
            second(resource(json!({"resource_type": "coal", "max_amount": 5, "current_amount": 6}))),
            "[1].resource.current_amount",
            "does not hold 6 of 5",
        ),
        (
            json!([with(station(0, 0), "resource", json!({"resource_type": "coal"}))]),
            "[0].resource",
            "never holds a deposit",
        ),
        (json!([station(0, 0), planet(1, 0), planet(0, 0)]), "[2]", "as planet 0 of the list does"),
        (json!([station(0, 0), planet(1, 1)]), "[1]", "cannot be reached"),
        (json!([station(0, 0), planet(0, 2), planet(2, 0)]), "[1]", "cannot be reached"),
    ];
    for (planets, field, words) in cases {
        let refused = map.post("/gameworlds", request(&planets)).await;
        let field = format!("gameworld.planets{field}");
        let detail = refused.refused(422, "invalid-field", Some(&field));
        assert!(detail.contains(words), "{planets}: {detail}");
    }
    assert_nothing_was_made(&map).await;
}

#[tokio::test]
async fn planets_and_a_style_exclude_each_other() {
    let map = TestMap::new().await;
    for style in ["balanced", "wild"] {
        let both = with(request(&json!([station(0, 0)]))["gameworld"].clone(), "style", json!(style));
        let refused = map.post("/gameworlds", json!({"gameworld": both})).await;
        let detail = refused.refused(422, "invalid-field", Some("gameworld.style"));
        assert!(detail.contains("`planets`"), "{detail}");
    }
    assert_nothing_was_made(&map).await;
    let nothing = with(request(&Value::Null)["gameworld"].clone(), "style", json!("wild"));
    let made = map.post("/gameworlds", json!({"gameworld": nothing})).await;
    assert_eq!((made.status, &made.body["style"]), (201, &json!("wild")), "null is as if it were absent");
}
