//! The page as a reader gets it: whole, safe, and at the address under which it was asked for.

use serde_json::json;
use starkeep_contract::Code;
use starkeep_contract::events::Channel;

use super::fields::{Direction, table, type_of};
use super::*;
use crate::service_addresses::ServiceAddress;

fn document() -> Value {
    json!({
        "info": { "title": "Starkeep game service", "description": "Games & <rounds>." },
        "paths": { "/games/{gameId}": { "patch": {
            "tags": ["games"], "operationId": "change", "summary": "Change `it`.", "security": [{ "admin": [] }],
            "parameters": [{ "name": "gameId", "in": "path", "required": true, "schema": { "format": "uuid", "type": "string" } }],
            "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Change" } } } },
            "responses": {
                "200": { "description": "Done", "content": { "application/json": { "schema":
                    { "type": "array", "items": { "$ref": "#/components/schemas/Change" } } } } },
                "404": { "description": "`unknown-game`: there is none" },
            },
        } } },
        "components": {
            "securitySchemes": { "admin": { "description": "The host's token." } },
            "schemas": { "Change": {
                "type": "object", "required": ["name"], "examples": [{ "name": "it's <b>" }],
                "properties": {
                    "name": { "type": "string", "minLength": 1, "maxLength": 80, "description": "Its name." },
                    "rounds": { "type": ["integer", "null"], "minimum": 1, "maximum": 9 },
                },
            } },
        },
    })
}

fn docs(addresses: Option<ServiceAddresses>) -> Docs {
    let channels = [Channel::Status];
    let document = document();
    let title = document["info"]["title"].as_str().unwrap().to_owned();
    Docs { page: page(&document, &asyncapi::document("1"), &channels), title, addresses }
}

#[test]
fn an_endpoint_comes_with_its_fields_an_example_and_the_command_that_sends_it() {
    let page = docs(None).told_to(Some("box:8080"));
    for part in [
        "<h2 id=\"tag-games\">Games</h2>",
        "<p>Change <code>it</code>.</p>",
        "<strong>Needs a token</strong>: The host's token.",
        "<td>path: UUID</td>",
        "</span>name</code> <span class=\"note\">required</span></td><td>text, 1 to 80 characters</td><td>Its name.</td>",
        "</span>rounds</code></td><td>whole number, 1 to 9, or null</td>",
        "</span>rounds</code> <span class=\"note\">may be absent</span></td>",
        "curl -X PATCH &quot;http://box:8080/games/$gameId&quot; \\\n  -H &quot;Authorization: Bearer $ADMIN_TOKEN&quot;",
        "-d '{&quot;name&quot;:&quot;it'\\''s &lt;b&gt;&quot;}'",
        "<figcaption>Answer 200, application/json</figcaption><pre><code>[\n  {\n    &quot;name&quot;",
        "<a href=\"#problem-unknown-game\"><code>unknown-game</code></a>: there is none",
        "<a href=\"#change\"><span class=\"method patch\">PATCH</span>",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn a_command_shows_the_token_without_which_it_is_refused() {
    for (security, shown) in [
        (json!(null), None),
        (json!([{ "admin": [] }]), Some("$ADMIN_TOKEN")),
        (json!([{}, { "admin": [] }]), None),
        (json!([{ "player": [] }]), Some("$PLAYER_TOKEN")),
        (json!([{}, { "player": [] }, { "admin": [] }]), Some("$PLAYER_TOKEN")),
    ] {
        let operation = json!({ "security": security });
        let endpoint = endpoints::Endpoint { method: "get", path: "/x", id: "x", operation: &operation };
        let command = curl::command(&endpoint, &json!({}));
        let expected = shown.map(|token| format!(" \\\n  -H \"Authorization: Bearer {token}\""));
        assert_eq!(command, format!("curl {HERE}/x{}", expected.unwrap_or_default()), "{security}");
    }
}

#[test]
fn fields_of_objects_in_objects_have_their_path_and_what_may_be_empty_is_as_it_is_meant() {
    let id =
        json!({ "anyOf": [{ "type": "string", "format": "uuid" }, { "enum": [""] }, { "type": "null" }] });
    let details = json!({ "anyOf": [{ "$ref": "#/Details" }, { "enum": [""] }] });
    let whole = json!({ "properties": { "details": { "$ref": "#/Sent" }, "list": { "type": "array", "items": { "$ref": "#/Details" } } } });
    let document = json!({ "Sent": details, "Details": { "properties": { "id": id } } });
    let html = table(&whole, &document, Direction::Sent);
    for part in [
        "</span>details</code></td><td>object</td>",
        "<span class=\"path\">details.</span>id</code></td><td>UUID, or null</td>",
        "</span>list</code></td><td>list of: object</td>",
        "<span class=\"path\">list[].</span>id</code>",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
}

#[test]
fn of_alternatives_each_is_shown_with_when_it_applies() {
    let either =
        |name: &str, when: &str| json!({ "description": when, "properties": { name: { "type": "string" } } });
    let schema = json!({ "oneOf": [either("resource", "Standard."), either("resource_id", "In `msd`.")] });
    let html = table(&schema, &json!({}), Direction::Answered);
    for part in [
        ">Standard.</td>",
        "</span>resource</code>",
        ">In <code>msd</code>.</td>",
        "</span>resource_id</code>",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
}

#[test]
fn types_are_in_the_words_of_json_with_their_bounds() {
    for (schema, expected) in [
        (json!({ "type": "integer", "format": "int32", "minimum": 0, "maximum": 5 }), "whole number, 0 to 5"),
        (json!({ "type": "integer", "minimum": 0 }), "whole number"),
        (json!({ "type": "string", "enum": ["clock", "turbo", ""] }), "one of clock, turbo"),
        (
            json!({ "type": "array", "items": { "type": "boolean" }, "maxItems": 3 }),
            "list of: true or false, at most 3 of them",
        ),
        (json!({ "oneOf": [{ "type": "null" }, { "$ref": "#/Id" }] }), "UUID, or null"),
    ] {
        let document = json!({ "Id": { "type": "string", "format": "uuid" } });
        assert_eq!(type_of(&schema, &document), expected, "{schema}");
    }
}

#[test]
fn the_page_explains_every_problem_and_its_events_and_asks_nobody_for_anything() {
    let page = docs(None).told_to(None);
    for code in Code::ALL {
        assert!(page.contains(&format!("id=\"problem-{}\"", code.as_str())));
    }
    assert!(page.contains("id=\"event-status\"") && !page.contains("id=\"event-trades\""));
    assert!(!page.contains("id=\"receipts\""), "this document knows no commands");
    for request in ["<script", "src=", "url(", "@import", "href=\"http", "\u{1}"] {
        assert!(!page.contains(request), "{request}");
    }
    assert!(page.contains("Games &amp; &lt;rounds&gt;.") && !page.contains("<b>"));
}

#[test]
fn every_link_within_the_page_leads_somewhere_and_no_id_is_there_twice() {
    let page = docs(None).told_to(None);
    let ids: Vec<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for id in &ids {
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1, "{id}");
    }
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        // Every real document has this one; see the test of the documents.
        assert!(ids.contains(&target) || target == "getEvents", "{target}");
    }
}

#[test]
fn the_guide_is_linked_where_the_contract_names_one() {
    let named = json!({ "url": "/docs/first-game", "description": "A <guide>" });
    let mut document = document();
    assert!(!page(&document, &json!({}), &[]).contains("/docs/first-game"));
    document["externalDocs"] = named;
    let page = page(&document, &json!({}), &[]);
    assert!(page.contains("<p><a href=\"/docs/first-game\">A &lt;guide&gt;</a></p>"), "{page}");
}

#[test]
fn the_other_services_are_linked_under_the_name_that_the_reader_uses() {
    let addresses = ServiceAddresses {
        game: ServiceAddress::Listening("0.0.0.0:8080".parse().unwrap()),
        map: Some(ServiceAddress::Listening("0.0.0.0:8081".parse().unwrap())),
        robot: Some(ServiceAddress::Configured("https://robots.example/\"x".to_owned())),
        trading: None,
    };
    let page = docs(Some(addresses)).told_to(Some("box:8080"));
    assert!(page.contains("<a href=\"/docs\" aria-current=\"page\">game</a>"), "{page}");
    assert!(page.contains("<a href=\"http://box:8081/docs\">map</a>"));
    assert!(page.contains("<a href=\"https://robots.example/&quot;x/docs\">robot</a>"));
    assert!(!page.contains("trading</a>"));
}

#[test]
fn a_host_that_is_no_name_is_not_repeated() {
    for host in ["a\"b", "<b>", "x$(rm)", "a b", "", "ä"] {
        let page = docs(None).told_to(Some(host));
        assert!(
            page.contains("\"http://localhost/games/$gameId")
                || page.contains("http://localhost/games/$gameId")
        );
        assert!(host.is_empty() || !page.contains(&format!("http://{host}")), "{host}");
    }
    assert!(docs(None).told_to(Some("[::1]:80")).contains("http://[::1]:80/games/$gameId"));
}
