//! Commands that cannot be run here: bash must be able to read them, and the flags, variables and files that they name must exist.
//! What other programs take is not known here.

use std::process::{Command, Stdio};

use crate::fences::root;

/// The commands of `starkeep` that have commands of their own.
const GROUPS: [&str; 2] = ["game", "world"];
/// Whose help names every variable.
const WITH_VARIABLES: [&[&str]; 4] = [&["serve"], &["game", "create"], &["bot"], &["world", "verify"]];
/// Folders of the repository that commands name files of.
const FOLDERS: [&str; 7] =
    ["contract/", "crates/", "deploy/", "docs/", "examples/", "scripts/", "./scripts/"];

/// What is wrong with the commands, in words.
pub(crate) fn faults(text: &str) -> Vec<String> {
    let readable = Command::new("bash").args(["-n", "-c", text]).stderr(Stdio::null()).status().unwrap();
    let unreadable = (!readable.success()).then(|| format!("bash cannot read it:\n{text}"));
    let text = text.replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let in_lines = lines.flat_map(|line| flags(line).into_iter().chain(files(line)));
    unreadable.into_iter().chain(in_lines).chain(variables(&text)).collect()
}

/// Words of a line, without quotes and what ends a command.
fn words(line: &str) -> Vec<&str> {
    line.split(|letter: char| letter.is_whitespace() || "'\"();".contains(letter))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Flags of `starkeep` that its help does not name.
pub(crate) fn flags(line: &str) -> Vec<String> {
    let words = words(line);
    // Not the folder that cargo installs it from.
    let is_program = |at: usize, word: &str| {
        (word == "starkeep" || word.ends_with("/starkeep")) && (at == 0 || words[at - 1] != "--path")
    };
    let Some(at) = words.iter().enumerate().position(|(at, word)| is_program(at, word)) else {
        return Vec::new();
    };
    let given =
        words[at + 1..].iter().copied().take_while(|word| !["|", "&", "&&", "||", ">"].contains(word));
    let given: Vec<_> = given.collect();
    let depth = given.first().map_or(0, |first| if GROUPS.contains(first) { 2 } else { 1 });
    let command: Vec<_> =
        given.iter().copied().take(depth).take_while(|word| !word.starts_with('-')).collect();
    let Some(help) = help(if command.is_empty() { &["serve"] } else { &command }) else {
        return vec![format!("there is no `starkeep {}`", command.join(" "))];
    };
    let flags =
        given.iter().filter(|word| word.starts_with("--")).map(|word| word.split('=').next().unwrap());
    let unknown = flags.filter(|flag| !named(&help, flag));
    unknown.map(|flag| format!("`starkeep {}` has no {flag}", command.join(" "))).collect()
}

/// Variables of the program that no help names.
pub(crate) fn variables(text: &str) -> Vec<String> {
    let names = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
    let names: Vec<_> = names.filter(|name| name.starts_with("STARKEEP_")).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let helps: String = WITH_VARIABLES.iter().map(|command| help(command).unwrap()).collect();
    let unknown = names.into_iter().filter(|name| !named(&helps, name));
    unknown.map(|name| format!("nothing reads {name}")).collect()
}

/// Files of the repository that are not there, and are not made by the command either.
fn files(line: &str) -> Vec<String> {
    let words = words(line);
    let is_made = |at: usize| at > 0 && words[at - 1] == ">";
    let named = words.iter().enumerate().filter(|(at, word)| {
        FOLDERS.iter().any(|folder| word.starts_with(folder)) && !is_made(*at) && !root().join(word).exists()
    });
    let mut missing: Vec<_> = named.map(|(_, file)| (*file).to_owned()).collect();
    let examples = words.windows(2).filter(|pair| pair[0] == "--example").map(|pair| pair[1]);
    let crates = || std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let has = |name: &str| crates().any(|folder| folder.join(format!("examples/{name}.rs")).exists());
    missing.extend(examples.filter(|name| !has(name)).map(|name| format!("the example {name}")));
    missing.into_iter().map(|name| format!("{name} does not exist")).collect()
}

/// Does the text have it as a whole word?
fn named(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    text.match_indices(name).any(|(at, _)| !text[at + name.len()..].starts_with(is_part))
}

/// Nothing where there is no such command.
fn help(command: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_starkeep")).args(command).arg("--help").output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_exists_is_no_fault() {
    let text = "export STARKEEP_KAFKA=here:9092\n\
        starkeep serve --dialect msd \\\n  --kafka=here:9092 | tee log\n\
        starkeep game create --name x && docker run --rm image\n\
        starkeep --data-dir x\n\
        python3 examples/first_bot.py\ncargo run -p starkeep-client --example first_bot\n\
        cargo install --path crates/starkeep --features kafka\n\
        docker build -f deploy/Dockerfile . && echo A=b > deploy/.made\n";
    assert_eq!(faults(text), [] as [&str; 0]);
}

#[test]
fn what_does_not_exist_is_a_fault() {
    for (text, fault) in [
        ("if true; then\n", "bash cannot read"),
        ("starkeep serve --dialect msd \\\n  --kafk x", "`starkeep serve` has no --kafk"),
        ("starkeep game create --nam x", "`starkeep game create` has no --nam"),
        ("starkeep game crate", "there is no `starkeep game crate`"),
        ("sudo /usr/bin/starkeep server", "there is no `starkeep server`"),
        ("export STARKEEP_KAFKAS=x", "nothing reads STARKEEP_KAFKAS"),
        ("python3 examples/no_bot.py", "examples/no_bot.py does not exist"),
        ("docker compose -f deploy/no.yaml up", "deploy/no.yaml does not exist"),
        ("cargo run --example no_bot", "the example no_bot does not exist"),
    ] {
        let faults = faults(text);
        assert!(faults.len() == 1 && faults[0].starts_with(fault), "{text}: {faults:?}");
    }
}
