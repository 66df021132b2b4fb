//! What holds for the flags of every command.

use std::collections::BTreeSet;

use clap::{Arg, Command as Shown, CommandFactory};

use super::*;
use crate::features::{COMMANDS, FLAGS};

/// Every command with its name, also those within others.
fn commands(command: &Shown, path: &str, found: &mut Vec<(String, Shown)>) {
    for inner in command.get_subcommands() {
        let path = format!("{path} {}", inner.get_name());
        commands(inner, &path, found);
        found.push((path, inner.clone()));
    }
}

fn all() -> Vec<(String, Shown)> {
    let mut found = Vec::new();
    commands(&Cli::command(), "starkeep", &mut found);
    found
}

fn is_builtin(argument: &Arg) -> bool {
    ["help", "version"].contains(&argument.get_id().as_str())
}

#[test]
fn the_command_line_is_sound_and_every_flag_is_explained_under_a_heading() {
    Cli::command().debug_assert();
    let all = all();
    assert!(all.iter().any(|(path, _)| path == "starkeep game patch"));
    for (path, command) in all {
        assert!(command.get_about().is_some(), "{path} is not explained");
        for argument in command.get_arguments().filter(|argument| !is_builtin(argument)) {
            let id = argument.get_id();
            assert!(argument.get_help().is_some(), "{path}: {id} has no help");
            let has_heading = argument.is_positional() || argument.get_help_heading().is_some();
            assert!(has_heading, "{path}: {id} has no heading");
        }
    }
}

#[test]
fn every_command_can_print_json() {
    for (path, command) in all() {
        let is_group = command.has_subcommands() || path.contains("completions");
        let has_json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
        assert!(is_group || has_json, "{path} has no --json");
    }
}

#[test]
fn every_flag_of_serve_has_its_variable() {
    let serve = all().into_iter().find(|(path, _)| path == "starkeep serve").unwrap().1;
    for argument in serve.get_arguments().filter(|argument| !is_builtin(argument)) {
        let expected = argument.get_long().and_then(|long| match long {
            "json" => None,
            "no-color" => Some("NO_COLOR".to_owned()),
            long => Some(format!("STARKEEP_{}", long.replace('-', "_").to_uppercase())),
        });
        let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
        assert_eq!(variable, expected);
    }
}

fn typed(words: &str) -> Result<Command, Unreadable> {
    typed_into(Features::OF_THIS_PROGRAM, words)
}

fn typed_into(features: Features, words: &str) -> Result<Command, Unreadable> {
    read(words.split(' ').map(OsString::from).collect(), features)
}

#[test]
fn the_flags_of_serve_work_without_the_word() {
    for words in [
        "starkeep --data-dir x",
        "starkeep serve --data-dir x",
        "starkeep --data-dir=x",
        "starkeep serve all --data-dir x",
    ] {
        let Ok(Command::Serve(args)) = typed(words) else { panic!("{words}") };
        assert_eq!(args.flags.data_dir(), std::path::Path::new("x"), "{words}");
    }
    assert!(matches!(typed("starkeep"), Ok(Command::Serve(_))));
    assert!(matches!(read(Vec::new(), Features::OF_THIS_PROGRAM), Ok(Command::Serve(_))));
    let Err(wrong) = typed("starkeep --no-such-flag") else { panic!("it is unknown") };
    assert!(wrong.without_command && wrong.clap.to_string().contains("'--no-such-flag'"));
    for words in ["starkeep --help", "starkeep -V", "starkeep --data-dir x --help", "starkeep nonsense"] {
        assert!(!typed(words).is_err_and(|fault| fault.without_command), "{words}");
    }
}

#[test]
fn the_help_shows_the_commands_first() {
    let help = Cli::command().render_help().to_string();
    let commands = help.find("Commands:").unwrap();
    assert!(commands < help.find("Options:").unwrap(), "{help}");
}

#[test]
fn a_shell_can_complete_the_commands() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let script = String::from_utf8(completions(shell)).unwrap();
        for word in ["completions", "watch", "admin-token-file"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

const NO_FEATURES: Features = Features { kafka: false, postgres: false, selftest: false };

#[test]
fn flags_and_commands_of_a_missing_feature_are_refused_with_the_command_that_adds_it() {
    for (words, named, feature) in [
        ("starkeep --kafka broker:9092", "--kafka", "kafka"),
        ("starkeep serve game --kafka-from start", "--kafka-from", "kafka"),
        ("starkeep demo --status-gap=1s", "--status-gap", "kafka"),
        ("starkeep serve --database-url postgresql://a/b", "--database-url", "postgres"),
        ("starkeep demo --schema-prefix x", "--schema-prefix", "postgres"),
        ("starkeep export x --database-url postgresql://a/b", "--database-url", "postgres"),
        ("starkeep import x --database-url postgresql://a/b", "--database-url", "postgres"),
        ("starkeep restore x --database-url postgresql://a/b", "--database-url", "postgres"),
        ("starkeep selftest", "`starkeep selftest`", "selftest"),
    ] {
        let Err(refused) = typed_into(NO_FEATURES, words) else { panic!("{words} is taken") };
        assert_eq!(
            refused.clap.to_string(),
            format!(
                "error: {named} needs the feature `{feature}`, and this program was built without it. Add it with\n  \
                 cargo install --locked --path crates/starkeep --features {feature}\n"
            )
        );
        assert!(refused.clap.exit_code() == 2 && !refused.without_command, "{words}");
        assert!(typed(words).is_ok(), "the program of the tests has everything: {words}");
    }
}

#[test]
fn the_command_that_adds_a_feature_keeps_those_that_are_there() {
    let features = Features { postgres: true, ..NO_FEATURES };
    let Err(refused) = typed_into(features, "starkeep --kafka x --database-url postgresql://a/b") else {
        panic!("there is no Kafka")
    };
    assert!(refused.clap.to_string().ends_with("--features kafka,postgres\n"), "{}", refused.clap);
    let features = Features { selftest: true, ..NO_FEATURES };
    assert!(typed_into(features, "starkeep selftest --kills 1").is_ok());
    assert!(typed_into(features, "starkeep selftest --database-url postgresql://a/b").is_err());
}

#[test]
fn what_needs_no_feature_is_taken_without_any() {
    // Nothing is backed up from a database, whatever the program was built with: `backup` says what to do instead.
    for words in [
        "starkeep",
        "starkeep --kafka=",
        "starkeep export x",
        "starkeep backup x --database-url y",
        "starkeep demo",
    ] {
        assert!(typed_into(NO_FEATURES, words).is_ok(), "{words}");
    }
}

#[test]
fn the_help_says_which_flags_and_commands_need_a_feature() {
    let needs = |help: Option<&clap::builder::StyledStr>| {
        let help = help.map(ToString::to_string).unwrap_or_default();
        let named = help
            .split_once("Needs the feature `")
            .map(|(_, rest)| rest.split('`').next().unwrap().to_owned());
        named.unwrap_or_default()
    };
    let mut seen = BTreeSet::new();
    for (path, command) in all().into_iter().filter(|(path, _)| path != "starkeep backup") {
        let name = path.trim_start_matches("starkeep ");
        let expected = COMMANDS.iter().find(|(listed, _)| *listed == name);
        assert_eq!(
            needs(command.get_long_about().or_else(|| command.get_about())),
            name_of(expected),
            "{path}"
        );
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let expected = FLAGS.iter().find(|(listed, _)| *listed == id);
            assert_eq!(
                needs(argument.get_long_help().or_else(|| argument.get_help())),
                name_of(expected),
                "{path} {id}"
            );
            seen.extend(expected.map(|(id, _)| *id));
        }
    }
    assert_eq!(seen.len(), FLAGS.len(), "every flag of the list is one: {seen:?}");
}

fn name_of(listed: Option<&(&str, Feature)>) -> &'static str {
    listed.map_or("", |(_, feature)| feature.name())
}
