//! The report as a table for people, in a form that is also Markdown.

use std::fmt::Write as _;

use super::{Measured, Report};

const HEAD: [&str; 11] = [
    "path",
    "beside",
    "ratio",
    "spread",
    "target",
    "",
    "starkeep",
    "beside it",
    "server CPU of one",
    "CPU ratio",
    "samples",
];

/// What a reader has to know of the figures.
const NOTE: &str = "\
Ratios are medians of turns that follow one another, more is better; the spread covers the middle half of the turns.
Load comes from a built-in generator on one thread, on the same machine: wrk takes as much CPU time of a request (8 to 9 µs
beside 8 µs), and only turns of whole seconds. What the generator takes from the server does not show in the server's CPU time.
A p99 is the median of the turns' p99s; samples are those of starkeep in all turns.
";

impl Report {
    /// The table with what has to be known of it.
    pub(crate) fn to_text(&self) -> String {
        format!("{NOTE}\n{}", self.to_table())
    }

    fn to_table(&self) -> String {
        let rows = self.measured.iter().map(row);
        table(&std::iter::once(HEAD.map(str::to_owned)).chain(rows).collect::<Vec<_>>())
    }
}

fn row(measured: &Measured) -> [String; HEAD.len()] {
    let (what, beside) = (measured.path.what.to_owned(), measured.path.beside.to_owned());
    let target = format!("at least {:.2}", measured.path.at_least);
    let Some(finding) = measured.finding() else {
        let why = measured.rounds.as_ref().err().map_or("", String::as_str);
        // A table has one line a row.
        let why = why.lines().next().unwrap_or_default().to_owned();
        let none = String::new;
        return [
            what,
            beside,
            none(),
            none(),
            target,
            "not measured".to_owned(),
            why,
            none(),
            none(),
            none(),
            none(),
        ];
    };
    [
        what,
        beside,
        format!("{:.2}", finding.ratio.median),
        format!("{:.2} to {:.2}", finding.ratio.low, finding.ratio.high),
        target,
        if finding.is_met { "met" } else { "missed" }.to_owned(),
        finding.ours.shown(measured.path.figure),
        finding.bare.shown(measured.path.figure),
        finding.cpu_micros.map_or_else(String::new, |(ours, bare)| format!("{ours:.1} µs, {bare:.1} µs")),
        finding.cpu_ratio().map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        finding.samples.to_string(),
    ]
}

/// Columns as wide as their widest cell.
fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let widths: [usize; COLUMNS] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if number == 0 {
            for width in widths {
                let _ = write!(text, "|{:-<1$}", "", width + 2);
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::{report, report_with_a_gap};

    #[test]
    fn the_table_has_a_row_for_each_path() {
        let expected = "\
| path                             | beside                | ratio | spread       | target        |     | starkeep           | beside it           | server CPU of one | CPU ratio | samples |
|----------------------------------|-----------------------|-------|--------------|---------------|-----|--------------------|---------------------|-------------------|-----------|---------|
| GET /games/{id}/time, 64 clients | bare axum, same bytes | 0.90  | 0.80 to 0.95 | at least 0.90 | met | 900/s, p99 1.50 ms | 1000/s, p99 1.50 ms | 10.0 µs, 5.0 µs   | 0.50      | 300     |
";
        assert_eq!(report([800.0, 950.0, 900.0]).to_table(), expected);
    }

    #[test]
    fn what_was_not_measured_says_why() {
        let table = report_with_a_gap().to_table();
        let last = table.lines().last().unwrap_or_default();
        assert!(last.contains("| not measured | no <java> & \"mvn\", none"), "{last}");
    }
}
