//! A page of `docs` as HTML: its text, and around it the links to the other pages, to the bots and to its own headings.
//! The text is ours, and still nothing of it gets into the page as HTML: comments, and all other HTML in it, are left out.

use std::fmt::Write as _;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::{EXAMPLES, PAGES, STYLE, served};

struct Heading {
    level: HeadingLevel,
    /// As the site that shows the repository names it, so that links are the same there and here.
    id: String,
    title: String,
}

pub(super) fn render(name: &str, markdown: &str) -> String {
    let mut events: Vec<_> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    keep_text(&mut events);
    let headings = name_headings(&mut events);
    let mut text = String::new();
    html::push_html(&mut text, events.into_iter().flat_map(with_room));
    let title = escape(title_of(markdown));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"/page/icon.svg\" type=\"image/svg+xml\">\
         <link rel=\"stylesheet\" href=\"/docs/{STYLE}\"><title>{title} - Starkeep</title></head><body class=\"guide\">\
         <a class=\"skip\" href=\"#text\">Skip to the text</a>\
         <header class=\"top\"><strong>Starkeep</strong>{}</header>\
         <div class=\"page\"><nav class=\"contents\" aria-label=\"Contents\">{}</nav>\
         <main id=\"text\">{text}</main></div></body></html>\n",
        pages(name),
        contents(&headings)
    )
}

/// Without HTML, pictures, and links to what is not served; their words stay.
fn keep_text(events: &mut Vec<Event<'_>>) {
    let mut is_within_dropped_link = false;
    events.retain_mut(|event| match event {
        Event::Html(_)
        | Event::InlineHtml(_)
        | Event::Start(Tag::HtmlBlock | Tag::Image { .. })
        | Event::End(TagEnd::HtmlBlock | TagEnd::Image) => false,
        Event::Start(Tag::Link { dest_url, .. }) => {
            let target = served(dest_url);
            is_within_dropped_link = target.is_none();
            target.is_some_and(|target| {
                *dest_url = target.into();
                true
            })
        }
        Event::End(TagEnd::Link) => !is_within_dropped_link,
        _ => true,
    });
}

/// A table that is wider than the window scrolls by itself, also by the keyboard.
fn with_room(event: Event<'_>) -> impl Iterator<Item = Event<'_>> {
    let (before, after) = match event {
        Event::Start(Tag::Table(_)) => {
            (Some(Event::Html("<div class=\"wide\" tabindex=\"0\">".into())), None)
        }
        Event::End(TagEnd::Table) => (None, Some(Event::Html("</div>".into()))),
        _ => (None, None),
    };
    before.into_iter().chain([event]).chain(after)
}

/// Gives every heading its id.
fn name_headings(events: &mut [Event<'_>]) -> Vec<Heading> {
    let (mut headings, mut open) = (Vec::new(), None::<(usize, String)>);
    for at in 0..events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { .. }) => open = Some((at, String::new())),
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(text);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                let (level, Some((start, title))) = (*level, open.take()) else { continue };
                let id = id_of(&title);
                if let Event::Start(Tag::Heading { id: place, .. }) = &mut events[start] {
                    *place = Some(id.clone().into());
                }
                headings.push(Heading { level, id, title });
            }
            _ => {}
        }
    }
    headings
}

fn id_of(title: &str) -> String {
    let words = title.to_lowercase().replace(' ', "-");
    words.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

/// Every page begins with it.
fn title_of(markdown: &str) -> &str {
    markdown.lines().next().unwrap_or_default().trim_start_matches("# ")
}

/// Links to all pages, and to the description of the API.
fn pages(current: &str) -> String {
    let links = PAGES.iter().map(|(name, markdown)| {
        let mark = if *name == current { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"/docs/{name}\"{mark}>{}</a></li>", escape(title_of(markdown)))
    });
    let links = links.collect::<String>();
    format!("<nav aria-label=\"Pages\"><ul>{links}<li><a href=\"/docs\">API</a></li></ul></nav>")
}

/// The headings of this page, and the bots.
fn contents(headings: &[Heading]) -> String {
    let mut html = String::from("<ul><li><a href=\"#text\">On this page</a><ul>");
    for Heading { id, title, .. } in headings.iter().filter(|heading| heading.level == HeadingLevel::H2) {
        let _ = write!(html, "<li><a href=\"#{id}\">{}</a></li>", escape(title));
    }
    html.push_str("</ul></li><li><a href=\"/docs/first-bot\">Bots to download</a><ul>");
    for (name, _) in EXAMPLES {
        let _ = write!(html, "<li><a href=\"/docs/{name}\"><code>{name}</code></a></li>");
    }
    html.push_str("</ul></li></ul>");
    html
}

fn escape(text: &str) -> String {
    let mut html = String::new();
    html::push_html(&mut html, std::iter::once(Event::Text(text.into())));
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_html_and_html_becomes_nothing() {
        let page = render(
            "rules",
            "# One & two\n\n<!-- run -->\n```sh\na < b\n```\n\n## The `id` of it\n\n<script>x</script>\n\n\
             A [link](rules.md), [another](operate.md) <b>one</b>, ![a picture](page.png).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        for part in [
            "<title>One &amp; two - Starkeep</title>",
            "<h1 id=\"one--two\">One &amp; two</h1>\n<pre><code class=\"language-sh\">a &lt; b\n</code></pre>",
            "<h2 id=\"the-id-of-it\">The <code>id</code> of it</h2>",
            "<li><a href=\"#the-id-of-it\">The id of it</a></li>",
            "<p>A <a href=\"/docs/rules\">link</a>, another one, a picture.</p>",
            "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>a</th>",
            "<li><a href=\"/docs/rules\" aria-current=\"page\">",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        for left_out in ["<!--", "<script", "<b>", "<img", "operate"] {
            assert!(!page.contains(left_out), "{left_out} is in {page}");
        }
    }
}
