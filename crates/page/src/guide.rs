//! What players read and take, at the address of their game: pages of `docs`, and bots of `examples`.
//! Both are written with the default address of a game service. Every reader gets them with the address at which he reads them.

mod render;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use self::render::render;
use crate::file::File;

const WRITTEN_ADDRESS: &str = "http://127.0.0.1:8080";

const STYLE: &str = "style.css";

/// The pages for players, in the order in which they are read. Those for hosts stay in the repository.
const PAGES: &[(&str, &str)] = &[
    ("first-game", include_str!("../../../docs/first-game.md")),
    ("rules", include_str!("../../../docs/rules.md")),
    ("first-bot", include_str!("../../../docs/first-bot.md")),
    ("events", include_str!("../../../docs/events.md")),
    ("errors", include_str!("../../../docs/errors.md")),
    ("train-agents", include_str!("../../../docs/train-agents.md")),
];

/// The bots, which import the first one. It has the address.
const EXAMPLES: &[(&str, &str)] = &[
    ("first_bot.py", include_str!("../../../examples/first_bot.py")),
    ("event_bot.py", include_str!("../../../examples/event_bot.py")),
    ("fighting_bot.py", include_str!("../../../examples/fighting_bot.py")),
    ("train.py", include_str!("../../../examples/train.py")),
];

/// Made when it is first asked for, as most of what a service shows of itself.
pub(crate) struct Guide {
    style: &'static str,
    files: OnceLock<HashMap<&'static str, String>>,
}

impl Guide {
    pub(crate) fn new(style: &'static str) -> Self {
        Self { style, files: OnceLock::new() }
    }

    /// For a reader who reaches the game service at this address.
    pub(crate) fn file(&self, name: &str, address: &str) -> Option<File> {
        let source = self.files.get_or_init(|| all_files(self.style)).get(name)?;
        Some(File::new(name, &source.replace(WRITTEN_ADDRESS, &harmless(address))))
    }
}

fn all_files(style: &str) -> HashMap<&'static str, String> {
    let pages = PAGES.iter().map(|(name, source)| (*name, render(name, source)));
    let examples = EXAMPLES.iter().map(|(name, source)| (*name, (*source).to_owned()));
    pages.chain(examples).chain([(STYLE, style.to_owned())]).collect()
}

/// An address may come from anybody, and stands in HTML, in a text of Python and in commands for a shell. What could end one of them
/// becomes `%` and its code, which means the same in an address.
fn harmless(address: &str) -> String {
    let mut text = String::with_capacity(address.len());
    for byte in address.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/[]%".contains(&byte) {
            text.push(byte.into());
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Where a link of a page leads that is written for the repository, if that is served.
fn served(link: &str) -> Option<String> {
    if link.starts_with('#') || link.starts_with(WRITTEN_ADDRESS) {
        return Some(link.to_owned());
    }
    let (file, heading) = link.find('#').map_or((link, ""), |at| link.split_at(at));
    let name = file.strip_suffix(".md").or_else(|| file.strip_prefix("../examples/"))?;
    let is_served = PAGES.iter().chain(EXAMPLES).any(|(served, _)| *served == name);
    is_served.then(|| format!("/docs/{name}{heading}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_served_and_all_others_nowhere() {
        for (link, target) in [
            ("rules.md", Some("/docs/rules")),
            ("first-bot.md#6-with-events", Some("/docs/first-bot#6-with-events")),
            ("../examples/first_bot.py", Some("/docs/first_bot.py")),
            ("#1-let-it-play", Some("#1-let-it-play")),
            ("http://127.0.0.1:8080/", Some("http://127.0.0.1:8080/")),
            ("operate.md", None),
            ("../ARCHITECTURE.md", None),
            ("../examples/executor.py", None),
            ("https://example.org", None),
        ] {
            assert_eq!(served(link).as_deref(), target, "{link}");
        }
    }

    #[test]
    fn an_address_ends_neither_a_text_nor_a_tag_nor_a_command() {
        assert_eq!(harmless("https://[::1]:8080/a_b"), "https://[::1]:8080/a_b");
        assert_eq!(harmless("http://x\"+'$(`\\<&>\n"), "http://x%22%2B%27%24%28%60%5C%3C%26%3E%0A");
    }
}
