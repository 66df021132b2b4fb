//! Texts as HTML: escaped, with what stands between backticks as code, and problem codes as links to what they mean.
//! Nothing gets into the page by another way.

use starkeep_contract::Code;

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A sentence of the contract.
pub(super) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (place, piece) in text.split('`').enumerate() {
        match place % 2 {
            0 => html.push_str(&escape(piece)),
            _ => html.push_str(&code(piece)),
        }
    }
    html
}

fn code(word: &str) -> String {
    let shown = format!("<code>{}</code>", escape(word));
    let is_problem = Code::ALL.iter().any(|code| code.as_str() == word);
    if is_problem { format!("<a href=\"#problem-{word}\">{shown}</a>") } else { shown }
}

/// An example below its name.
pub(super) fn figure(name: &str, text: &str) -> String {
    format!(
        "<figure><figcaption>{}</figcaption><pre><code>{}</code></pre></figure>",
        inline(name),
        escape(text.trim_end())
    )
}
