//! The fenced blocks of the pages: which are commands, and the mark above each, which says what a test does with it.
//! A block of commands without a mark is a fault of the page.

use std::path::{Path, PathBuf};

/// A fenced block of a page.
pub(crate) struct Fence {
    /// The comment in the line above it, without its brackets.
    pub(crate) mark: Option<String>,
    /// What stands behind the opening backticks.
    pub(crate) language: String,
    pub(crate) text: String,
}

/// A block of commands.
#[derive(Debug, PartialEq)]
pub(crate) enum Commands {
    /// `<!-- run -->`
    Run(String),
    /// `<!-- not run: … -->`, with the reason.
    NotRun { reason: String, text: String },
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README, and every page of docs in the order of their names.
pub(crate) fn pages() -> Vec<String> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let names = docs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<_> = names
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

pub(crate) fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|fault| panic!("{page}: {fault}"))
}

pub(crate) fn commands_of(page: &str) -> Vec<Commands> {
    let is_shell = |fence: &Fence| {
        let language = fence.language.split(',').next().unwrap_or_default();
        ["sh", "bash", "shell", "console"].contains(&language)
    };
    fences(&read(page)).into_iter().filter(is_shell).map(|fence| commands(page, fence)).collect()
}

fn commands(page: &str, fence: Fence) -> Commands {
    let mark = fence.mark.unwrap_or_default();
    match mark.strip_prefix("not run:") {
        Some(reason) if !reason.trim().is_empty() => {
            Commands::NotRun { reason: reason.trim().to_owned(), text: fence.text }
        }
        _ if mark == "run" || mark.starts_with("This block is run by a test") => Commands::Run(fence.text),
        _ => panic!(
            "{page}: commands without `<!-- run -->` or `<!-- not run: why -->` above them:\n{}",
            fence.text
        ),
    }
}

pub(crate) fn fences(page: &str) -> Vec<Fence> {
    let (mut fences, mut open, mut mark) = (Vec::new(), None::<Fence>, None);
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let language = language.trim().to_owned();
                open = Some(Fence { mark: mark.take(), language, text: String::new() });
            }
            (Some(_), Some(_)) => fences.extend(open.take()),
            (Some(fence), None) => fence.text = format!("{}{line}\n", fence.text),
            (None, None) => mark = comment(line),
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

fn comment(line: &str) -> Option<String> {
    Some(line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim().to_owned())
}

#[test]
fn a_mark_belongs_to_the_fence_right_below_it() {
    let page = "<!-- run -->\n```sh\na\n```\n<!-- run -->\n\n```sh\nb\n```\n";
    let marks: Vec<_> = fences(page).into_iter().map(|fence| (fence.mark, fence.text)).collect();
    assert_eq!(marks, [(Some("run".to_owned()), "a\n".to_owned()), (None, "b\n".to_owned())]);
}

#[test]
#[should_panic(expected = "without")]
fn commands_without_a_mark_are_refused() {
    commands("a page", fences("```sh\nrm -r /\n```\n").pop().unwrap());
}

#[test]
#[should_panic(expected = "without")]
fn what_is_not_run_has_a_reason() {
    commands("a page", fences("<!-- not run: -->\n```sh\ntrue\n```\n").pop().unwrap());
}
