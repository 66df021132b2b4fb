//! Colours for people: on a terminal only, and never the only sign of anything.
//! Text that others have chosen is made harmless here before it reaches a terminal.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Look {
    #[default]
    Plain,
    Dim,
    Bold,
    /// Something runs.
    Good,
    /// Something waits for somebody.
    Waiting,
    /// Something is not as it should be.
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    pub is_on: bool,
}

impl Paint {
    pub(crate) fn text(self, look: Look, text: &str) -> String {
        let code = match look {
            Look::Plain => return text.to_owned(),
            Look::Dim => 2,
            Look::Bold => 1,
            Look::Good => 32,
            Look::Waiting => 33,
            Look::Bad => 31,
        };
        if self.is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Players and hosts choose names: none of them shall steer the terminal.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_written_only_where_they_are_on() {
        assert_eq!(Paint { is_on: true }.text(Look::Good, "runs"), "\x1b[32mruns\x1b[0m");
        assert_eq!(Paint { is_on: false }.text(Look::Good, "runs"), "runs");
    }

    #[test]
    fn no_name_steers_the_terminal() {
        assert_eq!(harmless("ann\u{1b}[2J\nbob"), "ann\u{fffd}[2J\u{fffd}bob");
    }
}
