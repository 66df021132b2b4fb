//! Which operation of a document a request is for: the path template that fits, literal segments first.
//! The comparison with the operation is elsewhere.

use http::Method;
use serde_json::Value;

pub(crate) enum Found<'a> {
    Operation(&'a Value),
    /// The path is documented, with other methods.
    OtherMethods,
    Nothing,
}

pub(crate) fn find<'a>(document: &'a Value, method: &Method, path: &str) -> Found<'a> {
    let templates = document["paths"].as_object().into_iter().flatten();
    let fitting = templates.filter(|(template, _)| fits(template, path));
    // `/commands/batch` is not a command's id.
    let best = fitting.min_by_key(|(template, _)| template.matches('{').count());
    let Some((_, item)) = best else { return Found::Nothing };
    // Every route with a GET answers a HEAD.
    let name = if method == Method::HEAD { "get".to_owned() } else { method.as_str().to_ascii_lowercase() };
    match item.get(name) {
        Some(operation) => Found::Operation(operation),
        None => Found::OtherMethods,
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (wanted, given) = (template.split('/'), path.split('/'));
    wanted.clone().count() == given.clone().count()
        && wanted.zip(given).all(
            |(wanted, given)| {
                if wanted.starts_with('{') { !given.is_empty() } else { wanted == given }
            },
        )
}
