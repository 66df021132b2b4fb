//! The table of contents: endpoints by tag, events, receipts, problems.
//! It stays beside the text where there is room.

use std::fmt::Write;

use starkeep_contract::Code;
use starkeep_contract::events::Channel;

use super::endpoints::{Endpoint, Group};
use super::html::escape;

pub(super) fn list(groups: &[Group<'_>], channels: &[Channel], has_receipts: bool) -> String {
    let mut html = String::from("<ul>");
    for Group { tag, title, endpoints } in groups {
        let _ = write!(html, "<li><a href=\"#tag-{}\">{}</a><ul>", escape(tag), escape(title));
        for Endpoint { method, path, id, .. } in endpoints {
            let _ = write!(
                html,
                "<li><a href=\"#{}\"><span class=\"method {method}\">{}</span> <code>{}</code></a></li>",
                escape(id),
                method.to_uppercase(),
                breakable(path)
            );
        }
        html.push_str("</ul></li>");
    }
    html.push_str("<li><a href=\"#events\">Events</a><ul>");
    for channel in channels {
        let name = channel.name();
        let _ = write!(html, "<li><a href=\"#event-{name}\"><code>{name}</code></a></li>");
    }
    html.push_str("</ul></li>");
    if has_receipts {
        html.push_str("<li><a href=\"#receipts\">Receipts</a></li>");
    }
    html.push_str("<li><a href=\"#problems\">Problems</a><details><summary>All codes</summary><ul>");
    for code in Code::ALL {
        let name = code.as_str();
        let _ = write!(html, "<li><a href=\"#problem-{name}\"><code>{name}</code></a></li>");
    }
    html.push_str("</ul></details></li></ul>");
    html
}

/// A path that may be broken after each slash.
fn breakable(path: &str) -> String {
    escape(path).replace('/', "/<wbr>")
}
