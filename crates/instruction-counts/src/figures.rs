//! The checked-in table of figures: a line for each scenario, sorted by name, and the toolchain that they were made with.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::toolchain::Toolchain;

/// Of a figure that is new. Runs of the same program differ by much less.
const TOLERANCE_PERCENT: f64 = 2.0;

const HEAD: &str = "\
# How many instructions each of these takes, on which toolchain, how many pages of the write-ahead log a hundred commits
# take, and by how much a run may differ from it (in percent).
# Written by `scripts/instruction-counts --write`; a tolerance that was changed by hand stays. See CONTRIBUTING.md.
";

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figures {
    pub(crate) toolchain: Toolchain,
    pub(crate) instructions: Table,
    /// Of a hundred commits. The same on every toolchain.
    pub(crate) pages: Table,
}

/// By the names of the scenarios.
pub(crate) type Table = BTreeMap<String, Figure>;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub(crate) count: u64,
    pub(crate) tolerance: f64,
}

/// The counts of one run.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) instructions: Counted,
    pub(crate) pages: Counted,
}

/// By the names of the scenarios.
pub(crate) type Counted = BTreeMap<String, u64>;

impl Figures {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|fault| fault.to_string())
    }

    /// The figures of this run, with the tolerances that there were.
    pub(crate) fn renewed(&self, toolchain: Toolchain, counts: &Counts) -> Self {
        Self {
            toolchain,
            instructions: renewed(&self.instructions, &counts.instructions),
            pages: renewed(&self.pages, &counts.pages),
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{HEAD}\n[toolchain]\n");
        for (part, version) in &self.toolchain {
            let _ = writeln!(text, "{part} = {version:?}");
        }
        for (name, table) in [("instructions", &self.instructions), ("pages", &self.pages)] {
            let _ = write!(text, "\n[{name}]\n{}", lines(table));
        }
        text
    }
}

fn renewed(table: &Table, counts: &Counted) -> Table {
    let figure = |(name, count): (&String, &u64)| {
        let tolerance = table.get(name).map_or(TOLERANCE_PERCENT, |before| before.tolerance);
        (name.clone(), Figure { count: *count, tolerance })
    };
    counts.iter().map(figure).collect()
}

fn lines(table: &Table) -> String {
    let mut text = String::new();
    let width = table.keys().map(String::len).max().unwrap_or_default() + 2;
    for (name, Figure { count, tolerance }) in table {
        let (name, count) = (format!("{name:?}"), grouped(*count, '_'));
        let _ = writeln!(text, "{name:width$} = {{ count = {count:>11}, tolerance = {tolerance:?} }}");
    }
    text
}

/// In groups of three digits.
pub(crate) fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        let toolchain = [("rustc".to_owned(), "1.95.0 (\"x\")".to_owned())].into();
        let figure = |count, tolerance| Figure { count, tolerance };
        let figures = [("b: get".to_owned(), figure(1_234_567, 2.5)), ("a: post".to_owned(), figure(7, 3.0))];
        let pages = [("c: put".to_owned(), figure(450, 2.0))];
        Figures { toolchain, instructions: figures.into(), pages: pages.into() }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        assert_eq!(Figures::parse(&figures().to_text()), Ok(figures()));
        let lines: Vec<_> = figures().to_text().lines().skip(7).map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "[instructions]",
                r#""a: post" = { count =           7, tolerance = 3.0 }"#,
                r#""b: get"  = { count =   1_234_567, tolerance = 2.5 }"#,
                "",
                "[pages]",
                r#""c: put" = { count =         450, tolerance = 2.0 }"#,
            ]
        );
    }

    #[test]
    fn renewed_figures_keep_their_tolerances_and_lose_what_is_not_counted_any_more() {
        let counts = [("b: get".to_owned(), 5), ("c: put".to_owned(), 6)];
        let counts = Counts { instructions: counts.clone().into(), pages: counts.into() };
        let renewed = figures().renewed(Toolchain::new(), &counts);
        let rows = |table: &Table| -> Vec<_> {
            table.iter().map(|(name, row)| (name.clone(), row.count, row.tolerance)).collect()
        };
        let row = |name: &str, count, tolerance| (name.to_owned(), count, tolerance);
        assert_eq!(rows(&renewed.instructions), [row("b: get", 5, 2.5), row("c: put", 6, TOLERANCE_PERCENT)]);
        assert_eq!(rows(&renewed.pages), [row("b: get", 5, TOLERANCE_PERCENT), row("c: put", 6, 2.0)]);
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let table =
            [(0, "0"), (999, "999"), (1_000, "1_000"), (123_456, "123_456"), (1_234_567, "1_234_567")];
        for (number, text) in table {
            assert_eq!(grouped(number, '_'), text);
        }
    }
}
