//! Names in inputs: `{gameId}` stands for the id of a game that there is. So an input of the corpus can be read, and stays right
//! where ids are drawn in another order.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    pub(crate) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All of them, as they stand in an input.
    pub(crate) fn in_braces(&self) -> impl Iterator<Item = String> {
        self.0.keys().map(|name| format!("{{{name}}}"))
    }

    /// The input with what its names stand for. A name that is not known stays as it is.
    pub(crate) fn filled_in(&self, input: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(input.len());
        let mut rest = input;
        while let Some(begin) = rest.iter().position(|byte| *byte == b'{') {
            output.extend_from_slice(&rest[..begin]);
            rest = &rest[begin..];
            let known = rest.iter().position(|byte| *byte == b'}').and_then(|end| {
                let name = std::str::from_utf8(&rest[1..end]).ok()?;
                self.0.get(name).map(|value| (value, end + 1))
            });
            let (value, length) = known.map_or((&b"{"[..], 1), |(value, length)| (value.as_bytes(), length));
            output.extend_from_slice(value);
            rest = &rest[length..];
        }
        output.extend_from_slice(rest);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_all_else_stays() {
        let mut names = Names::default();
        names.add("game", "7");
        assert_eq!(names.filled_in(b"/a/{game}/{other}{{game}}{"), b"/a/7/{other}{7}{");
        assert_eq!(names.filled_in(b"\xff{game"), b"\xff{game");
    }
}
