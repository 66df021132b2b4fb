//! A question on a terminal. In a pipe nobody is there to answer, so nobody is asked.

use std::io::{self, IsTerminal, Write};

pub(super) fn is_confirmed(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return true;
    }
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_one() {
        assert!(is_yes("y\n") && is_yes(" Yes\r\n"));
        for no in ["", "\n", "n\n", "yup\n", "ja\n"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}
