//! Faults of bodies, word by word: what a person reads, and that no text of the body is in it.

use serde_json::json;
use starkeep_contract::game::{CreateGame, PatchMaxRounds};
use starkeep_contract::ignored_field::IgnoredField;
use starkeep_contract::map::CreateGameworld;
use starkeep_contract::object::Object;

use super::*;

#[track_caller]
fn refused<T: DeserializeOwned>(body: &str) -> (String, String) {
    match read::<Object<T>>(body.as_bytes()).map(|_| ()) {
        Err(Fault::Field { field, text }) => (field, text),
        other => panic!("{body}: {other:?}"),
    }
}

fn unread(body: &str) -> String {
    match read::<Object<CreateGame>>(body.as_bytes()).map(|_| ()) {
        Err(Fault::Unreadable(text)) => text,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_refused_field_is_named_with_what_is_expected_and_what_was_found() {
    let rounds = "expected a whole number from 1 to 1000000, found";
    let styles = "expected one of `balanced`, `symmetric`, `wild`, found";
    for (body, field, text) in [
        (r#"{"maxRounds":5}"#, "maxPlayers", "required field is missing".to_owned()),
        (r#"{"maxRounds":5,"maxRounds":6}"#, "maxRounds", "the field is there twice".to_owned()),
        (r#"{"maxRounds":"ten"}"#, "maxRounds", format!("{rounds} text")),
        (
            r#"{"maxRounds":"10"}"#,
            "maxRounds",
            format!("{rounds} text; write the number without quotation marks"),
        ),
        (r#"{"maxRounds":0}"#, "maxRounds", format!("{rounds} 0")),
        (r#"{"maxRounds":-7}"#, "maxRounds", format!("{rounds} -7")),
        (r#"{"maxRounds":2.0}"#, "maxRounds", format!("{rounds} 2.0")),
        (r#"{"maxRounds":99999999999999999999}"#, "maxRounds", format!("{rounds} 1e+20")),
        (r#"{"maxRounds":1e400}"#, "maxRounds", format!("{rounds} a number that is too large")),
        (r#"{"maxRounds":null}"#, "maxRounds", format!("{rounds} null")),
        (r#"{"maxRounds":true}"#, "maxRounds", format!("{rounds} true")),
        (r#"{"maxRounds":[5]}"#, "maxRounds", format!("{rounds} a list")),
        (r#"{"maxRounds":{"a":1}}"#, "maxRounds", format!("{rounds} an object")),
        (r#"{"style":"Wilde"}"#, "style", format!("{styles} another text; did you mean `wild`?")),
        (r#"{"style":"baroque"}"#, "style", format!("{styles} another text")),
        (r#"{"style":""}"#, "style", format!("{styles} an empty text")),
        (r#"{"style":5}"#, "style", format!("{styles} 5")),
        (r#"{"style":[]}"#, "style", format!("{styles} a list")),
        (r#"{"style":{}}"#, "style", format!("{styles} an object")),
        (r#"{"gameworldId":"r2"}"#, "gameworldId", "expected a UUID, found another text".to_owned()),
        (r#"{"gameworldId":7}"#, "gameworldId", "expected a UUID, found 7".to_owned()),
        (r#"{"name":"\ud800"}"#, "name", "`\\u` does not name a character in this text".to_owned()),
        (r#"{"name":"\udc00x"}"#, "name", "`\\u` does not name a character in this text".to_owned()),
        ("[5,3]", "body", "expected an object, found a list".to_owned()),
        ("7", "body", "expected an object, found 7".to_owned()),
        ("null", "body", "expected an object, found null".to_owned()),
    ] {
        assert_eq!(refused::<CreateGame>(body), (field.to_owned(), text), "{body}");
    }
}

#[test]
fn a_field_in_an_object_or_a_list_is_named_by_its_path() {
    let planet = r#"{"x":0,"y":0,"movement_difficulty":1,"planet_type":"default"}"#;
    for (body, field, text) in [
        ("{}".to_owned(), "gameworld", "required field is missing"),
        (r#"{"gameworld":[4]}"#.to_owned(), "gameworld", "expected an object, found a list"),
        (r#"{"gameworld":{"seed":3}}"#.to_owned(), "gameworld.player_amount", "required field is missing"),
        (
            format!(r#"{{"gameworld":{{"planets":[{planet},{{"x":1e999}}]}}}}"#),
            "gameworld.planets[1].x",
            "expected a whole number from 0 to 999, found a number that is too large",
        ),
        (
            format!(r#"{{"gameworld":{{"planets":[{planet},{{"planet_type":3}}]}}}}"#),
            "gameworld.planets[1].planet_type",
            "expected `default` or `spacestation`, found 3",
        ),
        (
            format!(r#"{{"gameworld":{{"planets":[{planet},null]}}}}"#),
            "gameworld.planets[1]",
            "expected an object, found null",
        ),
        (
            r#"{"gameworld":{"planets":{}}}"#.to_owned(),
            "gameworld.planets",
            "expected a list of at most 122500 objects, found an object",
        ),
    ] {
        let refusal = refused::<CreateGameworld>(&body);
        assert_eq!(refusal, (field.to_owned(), text.to_owned()), "{body}");
    }
}

#[test]
fn a_text_that_was_not_expected_is_not_repeated() {
    let secret = r#"a, expected \"secret\""#;
    for field in ["maxRounds", "style", "gameworldId", "nonce"] {
        let (named, text) = refused::<CreateGame>(&format!(r#"{{"{field}":"{secret}"}}"#));
        assert_eq!(named, field);
        assert!(text.contains("expected") && !text.contains("secret"), "{text}");
    }
    let (_, text) = refused::<CreateGame>(&format!("\"{secret}\""));
    assert_eq!(text, "expected an object, found text");
}

#[test]
fn what_is_no_json_is_unreadable_wherever_it_breaks() {
    for (body, text) in [
        ("", "the body is empty; expected JSON"),
        ("{", "line 1, column 1: the body ends within an object"),
        ("{\"maxRounds\":5", "line 1, column 14: the body ends within an object"),
        ("{\"maxRounds\":\"x\",", "line 1, column 17: the body ends within an object"),
        ("{\"a\":[1", "line 1, column 7: the body ends within a list"),
        ("{\"a\":\"b", "line 1, column 7: the body ends within a text"),
        ("{} {}", "line 1, column 4: something follows the end of the JSON value"),
        ("nul", "line 1, column 3: the body ends where a value is expected"),
        ("none", "line 1, column 2: expected true, false or null"),
        ("{'a':1}", "line 1, column 2: the name of a field must be a text in quotation marks"),
        ("{\n\"a\" 1}", "line 2, column 5: expected `:` after the name of a field"),
        ("{\"a\":1 \"b\":2}", "line 1, column 8: expected `,` or `}` after a field"),
        ("[1 2]", "line 1, column 4: expected `,` or `]` after an element"),
        ("[1,]", "line 1, column 4: expected a value"),
        ("{\"a\":01}", "line 1, column 7: this is no number of JSON"),
        ("{\"a\":\"\\q\"}", "line 1, column 8: in a text `\\` is followed by one of `\"\\/bfnrtu`"),
        ("{\"a\":\"\n\"}", "line 1, column 6: a text must not contain line breaks; write `\\n`"),
        ("\u{feff}{}", "line 1, column 1: expected a value"),
    ] {
        assert!(unread(body).starts_with(text), "{body}: {}", unread(body));
    }
    let not_utf_8 = read::<Value>(b"{\"a\":\"\xff\"}").unwrap_err();
    assert_eq!(
        not_utf_8,
        Fault::Unreadable("the body is not UTF-8: byte 7 does not belong there".to_owned())
    );
}

fn ignored<T: DeserializeOwned + utoipa::ToSchema>(body: &Value) -> Vec<IgnoredField> {
    let (_, ignored) = read_noting::<Object<T>>(body.to_string().as_bytes()).unwrap();
    ignored.of::<T>()
}

fn field(field: &str, did_you_mean: Option<&str>) -> IgnoredField {
    IgnoredField { field: field.to_owned(), did_you_mean: did_you_mean.map(str::to_owned) }
}

#[test]
fn unknown_fields_are_listed_with_what_was_probably_meant() {
    let body = json!({ "maxRounds": 5, "maxPlayers": 2, "roundDuration": 1e300, "colour": { "a": [1] }, "rounds": 4 });
    let expected =
        [field("colour", None), field("roundDuration", Some("duration")), field("rounds", Some("maxRounds"))];
    assert_eq!(ignored::<CreateGame>(&body), expected);
    assert_eq!(ignored::<CreateGame>(&json!({ "maxRounds": 5, "maxPlayers": 2, "style": null })), []);
    assert_eq!(ignored::<PatchMaxRounds>(&json!({ "maxrounds": 5 })), []);
    assert_eq!(
        ignored::<PatchMaxRounds>(&json!({ "maxrounds": 5, "max": 3 })),
        [field("max", None)],
        "three letters are too few"
    );
}

#[test]
fn in_a_list_a_field_is_listed_once_and_there_are_20_at_most() {
    let planet = |extra: &str| {
        json!({ "x": 0, "y": 0, "movement_difficulty": 1, "planet_type": "default",
                "resource": { "resource_type": "coal", "max": 3 }, extra: 1 })
    };
    let body = json!({
        "world": 1,
        "gameworld": { "player_amount": 1, "playerCount": 2, "playerAmount": 2, "planets": [planet("id"), planet("id"), planet("Y_")] },
    });
    let expected = [
        field("gameworld.planets[].Y_", Some("y")),
        field("gameworld.planets[].id", None),
        field("gameworld.planets[].resource.max", None),
        field("gameworld.playerAmount", Some("player_amount")),
        field("gameworld.playerCount", Some("player_amount")),
        field("world", Some("gameworld")),
    ];
    assert_eq!(ignored::<CreateGameworld>(&body), expected);
    let mut many = json!({ "maxRounds": 5, "maxPlayers": 2 });
    (0..50).for_each(|number| many[format!("further{number}")] = 1.into());
    assert_eq!(ignored::<CreateGame>(&many).len(), 20);
}

#[test]
fn a_long_name_is_cut_off() {
    let long = "ä".repeat(1_000);
    let listed = ignored::<CreateGame>(&json!({ "maxRounds": 5, "maxPlayers": 2, long: 1 }));
    assert_eq!(listed, [field(&format!("{}…", "ä".repeat(80)), None)]);
}
