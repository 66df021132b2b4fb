//! A table for people: columns as wide as their widest cell, numbers to the right, dim headers.

use unicode_width::UnicodeWidthStr;

use crate::paint::{Look, Paint, harmless};

/// A header; one that begins with `>` stands over numbers.
pub(crate) struct Table<const N: usize> {
    headers: [&'static str; N],
    rows: Vec<[Cell; N]>,
}

pub(crate) struct Cell {
    text: String,
    look: Look,
}

impl Cell {
    pub(crate) fn new(text: impl Into<CellText>) -> Self {
        Self::looking(Look::Plain, text)
    }

    pub(crate) fn looking(look: Look, text: impl Into<CellText>) -> Self {
        Self { text: text.into().0, look }
    }

    /// A dash where nothing is known.
    pub(crate) fn known(value: Option<impl Into<CellText>>) -> Self {
        value.map_or_else(|| Self::looking(Look::Dim, "-"), Self::new)
    }
}

/// What a cell is made from.
pub(crate) struct CellText(String);

impl From<u32> for CellText {
    fn from(number: u32) -> Self {
        Self(number.to_string())
    }
}

impl From<u64> for CellText {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl From<&str> for CellText {
    fn from(text: &str) -> Self {
        Self(harmless(text))
    }
}

impl From<String> for CellText {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(headers: [&'static str; N]) -> Self {
        Self { headers, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: [Cell; N]) {
        self.rows.push(row);
    }

    pub(crate) fn text(&self, paint: Paint) -> String {
        let widths: [usize; N] = std::array::from_fn(|column| {
            let cells = self.rows.iter().map(|row| row[column].text.width());
            cells.chain([name(self.headers[column]).width()]).max().unwrap_or(0)
        });
        let mut text = self.line(&widths, paint, |column| (name(self.headers[column]), Look::Dim));
        for row in &self.rows {
            text += &self.line(&widths, paint, |column| (&row[column].text, row[column].look));
        }
        text
    }

    fn line<'a>(&self, widths: &[usize; N], paint: Paint, cell: impl Fn(usize) -> (&'a str, Look)) -> String {
        let mut line = String::new();
        for (column, width) in widths.iter().enumerate() {
            let (text, look) = cell(column);
            let blanks = " ".repeat(width - text.width());
            let painted = paint.text(look, text);
            let is_last = column + 1 == N;
            line += &match (self.headers[column].starts_with('>'), is_last) {
                (true, _) => blanks + &painted,
                (false, true) => painted,
                (false, false) => painted + &blanks,
            };
            line += if is_last { "\n" } else { "  " };
        }
        line
    }
}

fn name(header: &'static str) -> &'static str {
    header.trim_start_matches('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_also_under_wide_characters_and_colours() {
        let mut table = Table::new(["NAME", ">MONEY", "STATUS"]);
        table.add([Cell::new("星"), Cell::new(5_u32), Cell::looking(Look::Good, "running")]);
        table.add([Cell::new("a\tlong name"), Cell::known(None::<u32>), Cell::new("ended")]);
        let plain = "\
NAME         MONEY  STATUS
星               5  running
a\u{fffd}long name      -  ended
";
        assert_eq!(table.text(Paint { is_on: false }), plain);
        let painted = table.text(Paint { is_on: true });
        assert!(painted.contains("5  \x1b[32mrunning\x1b[0m\n"), "{painted}");
    }
}
