//! What holds for the flags of every command.

use clap::{Arg, Command as Shown, CommandFactory};

use super::*;

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
    read(words.split(' ').map(OsString::from).collect())
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
    assert!(matches!(read(Vec::new()), Ok(Command::Serve(_))));
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
