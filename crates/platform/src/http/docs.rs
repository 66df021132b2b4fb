//! The contract as a page that a person reads, made on the server: no script, no font, no request to anywhere.
//! It shows what the OpenAPI document says, and the list of problem codes.

use std::fmt::Write;

use serde_json::Value;
use starkeep_contract::{Code, Dialect};
use utoipa::openapi::OpenApi;

const STYLE: &str = include_str!("docs.css");

pub fn page(contract: &OpenApi) -> String {
    let document = serde_json::to_value(contract).expect("a contract is plain data");
    let title = escape(document["info"]["title"].as_str().unwrap_or_default());
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style><main><h1>{title}</h1>"
    );
    let _ = write!(
        html,
        "<p>{}</p><p>For machines: <a href=\"/openapi.json\">/openapi.json</a>, \
         the events: <a href=\"/asyncapi.json\">/asyncapi.json</a>. \
         Also here: <a href=\"/health\">/health</a>, <a href=\"/metrics\">/metrics</a>.</p>",
        escape(document["info"]["description"].as_str().unwrap_or_default())
    );
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            endpoint(&mut html, method, path, operation, &document);
        }
    }
    problems(&mut html);
    html.push_str("</main></html>\n");
    html
}

fn endpoint(html: &mut String, method: &str, path: &str, operation: &Value, document: &Value) {
    let text = |key: &str| escape(operation[key].as_str().unwrap_or_default());
    let _ = write!(
        html,
        "<section><h2><b>{}</b> <code>{}</code></h2><p>{}</p><p>{}</p>",
        method.to_uppercase(),
        escape(path),
        text("summary"),
        text("description")
    );
    if let Some(parameters) = operation["parameters"].as_array() {
        html.push_str("<table><tr><th>parameter<th>where<th>what</tr>");
        for parameter in parameters {
            let cell = |key: &str| escape(parameter[key].as_str().unwrap_or_default());
            let _ = write!(
                html,
                "<tr><td><code>{}</code><td>{}<td>{}</tr>",
                cell("name"),
                cell("in"),
                cell("description")
            );
        }
        html.push_str("</table>");
    }
    fields(html, "body", &operation["requestBody"]["content"]["application/json"]["schema"], document);
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let what = escape(answer["description"].as_str().unwrap_or_default());
        let _ = write!(html, "<p><b>{}</b> {what}</p>", escape(status));
        if status.starts_with('2') {
            fields(html, "answer", &answer["content"]["application/json"]["schema"], document);
        }
    }
    html.push_str("</section>");
}

/// The fields of an object, those of objects in it indented below.
fn fields(html: &mut String, what: &str, schema: &Value, document: &Value) {
    if schema.is_null() {
        return;
    }
    let _ = write!(html, "<table><tr><th>{what}<th>type<th>what</tr>");
    rows(html, schema, document, 0);
    html.push_str("</table>");
}

fn rows(html: &mut String, schema: &Value, document: &Value, depth: usize) {
    // Deeper than this only a schema that contains itself would go.
    if depth > 4 {
        return;
    }
    let schema = resolve(schema, document);
    if schema["type"] == "array" {
        return rows(html, &schema["items"], document, depth);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        rows(html, part, document, depth);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let target = resolve(field, document);
        let description =
            field["description"].as_str().or(target["description"].as_str()).unwrap_or_default();
        let _ = write!(
            html,
            "<tr><td class=\"depth{depth}\"><code>{}</code><td>{}<td>{}</tr>",
            escape(name),
            escape(&type_of(target)),
            escape(description)
        );
        rows(html, target, document, depth + 1);
    }
}

fn resolve<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let named = |schema: &'a Value| {
        schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?))
    };
    if let Some(target) = named(schema) {
        return resolve(target, document);
    }
    // An optional object is written as "null or that", or as "that, an empty text or null".
    let mut alternatives =
        [&schema["oneOf"], &schema["anyOf"]].into_iter().filter_map(Value::as_array).flatten();
    alternatives.find_map(named).unwrap_or(schema)
}

fn type_of(schema: &Value) -> String {
    let mut text = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        // The first alternative is what is meant; the others say how it is left out.
        _ if schema["anyOf"][0].is_object() => type_of(&schema["anyOf"][0]),
        _ => "object".to_owned(),
    };
    if let Some(format) = schema["format"].as_str().filter(|format| *format != "int64" && *format != "int32")
    {
        let _ = write!(text, " ({format})");
    }
    if let (Some(least), Some(most)) = (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        let _ = write!(text, " {least}…{most}");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).filter(|word| !word.is_empty()).collect();
        let _ = write!(text, ": {}", words.join(", "));
    }
    text
}

/// `docs/errors.md`: the same list for those who read the repository.
pub fn errors_markdown() -> String {
    let mut text = String::from(
        "# Problem codes\n\nGenerated by `cargo run -p starkeep --example write-contract`; a test keeps it current.\n\n\
         Every refusal is `application/problem+json` (RFC 9457) with a stable `code` from this closed list. Where two status\n\
         codes are given, the second is that of the msd dialect.\n",
    );
    for &code in Code::ALL {
        let (standard, msd) = (code.status(Dialect::Standard), code.status(Dialect::Msd));
        let status = if standard == msd { standard.to_string() } else { format!("{standard}, {msd}") };
        let _ =
            write!(text, "\n## `{}` ({status}): {}\n\n{}\n", code.as_str(), code.title(), code.explanation());
    }
    text
}

fn problems(html: &mut String) {
    html.push_str(
        "<section><h2>Problems</h2><p>Every refusal is <code>application/problem+json</code> with one of these codes.</p>",
    );
    for &code in Code::ALL {
        let (name, status) = (code.as_str(), code.status(Dialect::Standard));
        let _ = write!(
            html,
            "<h3 id=\"problem-{name}\"><code>{name}</code> {status}: {}</h3><p>{}</p>",
            escape(code.title()),
            escape(code.explanation())
        );
    }
    html.push_str("</section>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_may_be_empty_are_shown_as_what_they_are_meant_to_be() {
        let id = serde_json::json!({ "anyOf": [{ "type": "string", "format": "uuid" }, { "enum": [""] }, { "type": "null" }] });
        let details = serde_json::json!({ "anyOf": [{ "$ref": "#/Details" }, { "enum": [""] }] });
        let whole = serde_json::json!({ "properties": { "details": { "$ref": "#/Sent" } } });
        let named = serde_json::json!({ "properties": { "id": id } });
        let document = serde_json::json!({ "Sent": details, "Details": named });
        let mut html = String::new();
        rows(&mut html, &whole, &document, 0);
        assert!(html.contains("<code>details</code><td>object<td>"), "{html}");
        assert!(html.contains("<td class=\"depth1\"><code>id</code><td>string (uuid)<td>"), "{html}");
    }

    #[test]
    fn the_page_explains_every_problem_and_asks_nobody_for_anything() {
        let page = page(&OpenApi::default());
        for code in Code::ALL {
            assert!(page.contains(&format!("id=\"problem-{}\"", code.as_str())));
        }
        assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
    }
}
