//! The states of a receipt, explained to who writes a bot: what each means, and what to do.
//! A state that is missing here does not compile.

use std::fmt::Write;

use starkeep_contract::command::CommandState;

use super::html::inline;

const STATES: [CommandState; 6] = [
    CommandState::Pending,
    CommandState::Replaced,
    CommandState::Dispatched,
    CommandState::Undelivered,
    CommandState::Unknown,
    CommandState::Dropped,
];

/// The word on the wire, what it means, what to do.
fn explained(state: CommandState) -> [&'static str; 3] {
    match state {
        CommandState::Pending => [
            "pending",
            "The command is stored and survives a crash. The execution phase of its round has yet to come to it.",
            "Wait. While the round takes commands, a further one for the same robot replaces it.",
        ],
        CommandState::Replaced => [
            "replaced",
            "A later command for the same robot in the same round took its place. It is never executed.",
            "Nothing: look at the receipt of the later command.",
        ],
        CommandState::Dispatched => [
            "dispatched",
            "The robot or trading service has taken it. Whether it succeeded is another question.",
            "Read `result`, or wait for the event whose header `transactionId` is that of the receipt.",
        ],
        CommandState::Undelivered => [
            "undelivered",
            "It certainly did not reach the service that carries it out: nothing has happened.",
            "Send it again in a later round, if it still makes sense.",
        ],
        CommandState::Unknown => [
            "unknown",
            "It was sent, and no answer came. It may have been executed; to be safe it is not sent again. If an answer comes \
             late, the state becomes `dispatched` or `undelivered`.",
            "Look before you act: `GET /games/{gameId}/view` shows where your robots are and what you own.",
        ],
        CommandState::Dropped => {
            ["dropped", "The game ended before it was sent.", "Nothing: the game is over."]
        }
    }
}

pub(super) fn section() -> String {
    let mut rows = String::new();
    for state in STATES {
        let [word, meaning, advice] = explained(state);
        let (meaning, advice) = (inline(meaning), inline(advice));
        let row = format!("<th scope=\"row\"><code>{word}</code></th><td>{meaning}</td><td>{advice}</td>");
        let _ = write!(rows, "<tr>{row}</tr>");
    }
    format!(
        "<section><h2 id=\"receipts\">Receipts</h2>\
         <p>Every accepted command has a receipt: the answer to <a href=\"#sendCommand\"><code>POST /commands</code></a>, and \
         later <a href=\"#getCommand\"><code>GET /commands/{{transactionId}}</code></a>. Its <code>state</code> tells how far the \
         command has come. It begins as <code>pending</code> and ends as one of the others. As soon as it is known what came \
         of the command, the receipt has a <code>result</code>: for its owner at once, for everybody after the round.</p>\
         <table><thead><tr><th scope=\"col\">State</th><th scope=\"col\">What it means</th><th scope=\"col\">What a bot does</th></tr></thead>\
         <tbody>{rows}</tbody></table></section>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_explained_under_its_word_on_the_wire() {
        for state in STATES {
            assert_eq!(serde_json::to_value(state).unwrap(), explained(state)[0]);
        }
        let refusal = serde_json::from_str::<CommandState>("\"none\"").unwrap_err().to_string();
        assert_eq!(refusal.matches('`').count() / 2, STATES.len() + 1, "all are listed: {refusal}");
    }
}
