//! Links from one page to another lead somewhere: the file exists, and so does the heading.
//! Every page is found from the README or from the table in docs.

use std::collections::BTreeSet;
use std::path::Path;

use crate::fences::{pages, read, root};

/// The targets of a page's links that are files of the repository.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
}

/// As the sites that show them name a heading: lower case, without signs, with hyphens for spaces.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        for link in links(&read(&page)) {
            let (file, anchor) =
                link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let page_folder = root().join(Path::new(&page).parent().unwrap());
            let target = if file.is_empty() { root().join(&page) } else { page_folder.join(file) };
            assert!(target.exists(), "{page}: {link} does not exist");
            if let Some(anchor) = anchor {
                let headings = anchors(&std::fs::read_to_string(&target).unwrap());
                assert!(headings.contains(anchor), "{page}: {link} is no heading of {headings:?}");
            }
        }
    }
}

#[test]
fn every_page_is_linked_from_the_readme_or_the_table_of_pages() {
    let readme = read("README.md");
    let table = root().join("docs/README.md");
    let table = if table.exists() { read("docs/README.md") } else { String::new() };
    let linked: BTreeSet<_> = links(&readme).into_iter().map(str::to_owned).collect();
    let in_table: BTreeSet<_> = links(&table).into_iter().map(|page| format!("docs/{page}")).collect();
    for page in pages().into_iter().filter(|page| page != "README.md") {
        assert!(linked.contains(&page) || in_table.contains(&page), "{page} is linked from nowhere");
    }
}
