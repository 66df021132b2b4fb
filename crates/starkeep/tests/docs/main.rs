//! README, docs and examples do what they say: their commands are run by bash against the real program, each page in its own test.
//! What cannot be run here is marked in the page, with the reason; its flags, variables and files are checked instead.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod channels;
mod curl_game;
mod deploy_files;
mod example_bots;
mod fences;
mod included_code;
mod links;
mod not_run;
mod page;
mod program;
mod training;
mod words_of_the_view;

use page::play;

/// A test for each page that shows commands, and the list of all of them.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        const PAGES: &[&str] = &[$($path),+];
        $(#[test]
        fn $name() {
            play($path);
        })+
    };
}

pages! {
    readme: "README.md",
    events: "docs/events.md",
    existing_stack: "docs/existing-stack.md",
    first_bot: "docs/first-bot.md",
    first_game: "docs/first-game.md",
    host_a_class: "docs/host-a-class.md",
    host_a_tournament: "docs/host-a-tournament.md",
    kafka: "docs/kafka.md",
    operate: "docs/operate.md",
    reliability: "docs/reliability.md",
    scale: "docs/scale.md",
    train_agents: "docs/train-agents.md",
    write_an_executor: "docs/write-an-executor.md",
}

#[test]
fn every_page_with_commands_is_played() {
    let with_commands = fences::pages().into_iter().filter(|page| !fences::commands_of(page).is_empty());
    let mut listed: Vec<_> = PAGES.iter().map(|page| (*page).to_owned()).collect();
    listed.sort();
    assert_eq!(
        with_commands.collect::<Vec<_>>(),
        listed,
        "every page with commands needs a line in `pages!`"
    );
}

#[test]
fn a_class_is_backed_up_while_the_program_runs() {
    let commands = fences::commands_of("docs/host-a-class.md");
    let is_backup = |commands: &fences::Commands| matches!(commands, fences::Commands::Run(text) if text.contains("starkeep backup "));
    assert!(commands.iter().any(is_backup), "{commands:?}");
}
