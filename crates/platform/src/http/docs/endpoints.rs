//! Endpoints: what each takes and answers, with an example of both and the command that sends it.
//! They are grouped by tag.

use std::fmt::Write;

use serde_json::Value;

use super::fields::{Direction, table, type_of};
use super::html::{escape, figure, inline};
use super::{curl, example};

pub(super) struct Endpoint<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) id: &'a str,
    pub(super) operation: &'a Value,
}

pub(super) struct Group<'a> {
    pub(super) tag: &'a str,
    pub(super) title: String,
    pub(super) endpoints: Vec<Endpoint<'a>>,
}

/// What most readers look for comes first. Tags that are not here come before the last two.
const ORDER: [&str; 9] =
    ["games", "players", "commands", "open", "mining", "host", "services", "events", "service"];

/// To look at something comes before to change it.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// All endpoints of a document.
pub(super) fn by_tag(document: &Value) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        let mut methods: Vec<_> = methods.as_object().into_iter().flatten().collect();
        methods.sort_by_key(|(method, _)| METHODS.iter().position(|known| known == method));
        for (method, operation) in methods {
            let id = operation["operationId"].as_str().unwrap_or_default();
            let endpoint = Endpoint { method, path, id, operation };
            let tag = operation["tags"][0].as_str().unwrap_or("service");
            match groups.iter_mut().find(|group| group.tag == tag) {
                Some(group) => group.endpoints.push(endpoint),
                None => groups.push(Group { tag, title: title(tag), endpoints: vec![endpoint] }),
            }
        }
    }
    let rank = |group: &Group<'_>| ORDER.iter().position(|tag| *tag == group.tag).unwrap_or(ORDER.len() - 3);
    groups.sort_by_key(rank);
    groups
}

fn title(tag: &str) -> String {
    match tag {
        "open" => "For everybody".to_owned(),
        "host" => "For the host".to_owned(),
        "services" => "For other services".to_owned(),
        "service" => "The service itself".to_owned(),
        "events" => "Reading events".to_owned(),
        other => other[..1].to_uppercase() + &other[1..],
    }
}

pub(super) fn section(group: &Group<'_>, document: &Value) -> String {
    let Group { tag, title, endpoints } = group;
    let endpoints: String = endpoints.iter().map(|endpoint| one(endpoint, document)).collect();
    let tag = escape(tag);
    format!("<section><h2 id=\"tag-{tag}\">{}</h2>{endpoints}</section>", escape(title))
}

fn one(endpoint: &Endpoint<'_>, document: &Value) -> String {
    let Endpoint { method, path, id, operation } = endpoint;
    let text = |key: &str| inline(operation[key].as_str().unwrap_or_default());
    let mut html = format!(
        "<article class=\"entry\" id=\"{}\"><h3><span class=\"method {method}\">{}</span> <code>{}</code></h3>\
         <div class=\"beside\"><div><p>{}</p>",
        escape(id),
        method.to_uppercase(),
        escape(path),
        text("summary")
    );
    if operation["description"].is_string() {
        let _ = write!(html, "<p>{}</p>", text("description"));
    }
    html.push_str(&token(operation, document));
    html.push_str(&parameters(operation, document));
    let body = &operation["requestBody"]["content"]["application/json"];
    let fields = table(&body["schema"], document, Direction::Sent);
    if !fields.is_empty() {
        let _ = write!(html, "<h4>Body</h4>{fields}");
    }
    let mut examples = figure("Request", &curl::command(endpoint, document));
    if let Some(example) = example::of_content(body, document) {
        examples.push_str(&figure("Body", &example::shown(&example)));
    }
    let answers = operation["responses"].as_object().into_iter().flatten();
    let (taken, refused): (Vec<_>, Vec<_>) = answers.partition(|(status, _)| status.starts_with('2'));
    for (status, answer) in taken {
        let what = inline(answer["description"].as_str().unwrap_or_default());
        let _ = write!(html, "<h4>Answer {}</h4><p>{what}</p>{}", escape(status), headers(answer));
        for (kind, content) in answer["content"].as_object().into_iter().flatten() {
            html.push_str(&table(&content["schema"], document, Direction::Answered));
            if let Some(example) = example::of_content(content, document) {
                let name = format!("Answer {status}, {kind}");
                examples.push_str(&figure(&name, &example::shown(&example)));
            }
        }
    }
    html.push_str(&refusals(&refused));
    let _ = write!(html, "</div><div class=\"examples\">{examples}</div></div></article>");
    html
}

/// Which tokens open it, and whether it is closed without one.
fn token(operation: &Value, document: &Value) -> String {
    let Some(alternatives) = operation["security"].as_array() else { return String::new() };
    let is_open =
        alternatives.iter().any(|schemes| schemes.as_object().is_some_and(serde_json::Map::is_empty));
    let names = alternatives.iter().filter_map(|schemes| schemes.as_object()?.keys().next());
    let described = names.filter_map(|name| {
        document["components"]["securitySchemes"][name]["description"].as_str().map(inline)
    });
    let described: Vec<_> = described.collect();
    let how = if is_open { "Takes a token" } else { "Needs a token" };
    format!("<p class=\"token\"><strong>{how}</strong>: {}</p>", described.join(" Or: "))
}

fn parameters(operation: &Value, document: &Value) -> String {
    let mut rows = String::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let cell = |key: &str| parameter[key].as_str().unwrap_or_default();
        // A path without one of its parameters is another path.
        let is_noted = parameter["required"] == true && cell("in") != "path";
        let note = if is_noted { " <span class=\"note\">required</span>" } else { "" };
        let _ = write!(
            rows,
            "<tr><td><code>{}</code>{note}</td><td>{}: {}</td><td>{}</td></tr>",
            escape(cell("name")),
            escape(cell("in")),
            escape(&type_of(&parameter["schema"], document)),
            inline(cell("description"))
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h4>Parameters</h4><table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Where and type</th>\
         <th scope=\"col\">What it is</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn headers(answer: &Value) -> String {
    let mut items = String::new();
    for (name, header) in answer["headers"].as_object().into_iter().flatten() {
        let what = inline(header["description"].as_str().unwrap_or_default());
        let _ = write!(items, "<li><code>{}</code>: {what}</li>", escape(name));
    }
    if items.is_empty() { items } else { format!("<ul class=\"headers\">{items}</ul>") }
}

fn refusals(refused: &[(&String, &Value)]) -> String {
    let mut items = String::new();
    for (status, answer) in refused {
        let what = inline(answer["description"].as_str().unwrap_or_default());
        let _ = write!(items, "<li><strong>{}</strong> {what}</li>", escape(status));
    }
    if items.is_empty() {
        return items;
    }
    format!("<details><summary>Refusals</summary><ul>{items}</ul></details>")
}
