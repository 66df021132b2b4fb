//! Compares what was counted with the figures. More is a loss; fewer is a gain, which is kept only if the figure follows it.

use std::collections::BTreeSet;
use std::fmt;

use crate::figures::{Counted, Figure, Table, grouped};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    figure: Option<Figure>,
    counted: Option<u64>,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    AsBefore,
    More,
    Fewer,
    /// It is counted for the first time.
    New,
    /// There is a figure of something that is not counted.
    Gone,
}

/// A row for everything that has a figure or was counted, by name.
pub(crate) fn compare(figures: &Table, counts: &Counted) -> Vec<Row> {
    let names: BTreeSet<_> = figures.keys().chain(counts.keys()).collect();
    let row = |name: &String| {
        let (figure, counted) = (figures.get(name).copied(), counts.get(name).copied());
        Row { name: name.clone(), figure, counted, verdict: verdict(figure, counted) }
    };
    names.into_iter().map(row).collect()
}

fn verdict(figure: Option<Figure>, counted: Option<u64>) -> Verdict {
    let (figure, counted) = match (figure, counted) {
        (Some(figure), Some(counted)) => (figure, counted),
        (None, _) => return Verdict::New,
        (Some(_), None) => return Verdict::Gone,
    };
    match percent_more(figure.count, counted) {
        more if more > figure.tolerance => Verdict::More,
        more if more < -figure.tolerance => Verdict::Fewer,
        _ => Verdict::AsBefore,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn percent_more(before: u64, now: u64) -> f64 {
    100.0 * (now as f64 - before as f64) / before as f64
}

impl Verdict {
    pub(crate) fn is_failure(self) -> bool {
        self != Self::AsBefore
    }

    fn text(self) -> &'static str {
        match self {
            Self::AsBefore => "",
            Self::More => "MORE than the figure allows",
            Self::Fewer => "FEWER: renew the figure, so that the gain is kept",
            Self::New => "NEW: it has no figure yet",
            Self::Gone => "GONE: nothing of this name is counted",
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number =
            |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| grouped(number, ','));
        let before = self.figure.map(|figure| figure.count);
        let percent = before.zip(self.counted).map(|(before, now)| percent_more(before, now));
        let percent = percent.map_or_else(String::new, |percent| format!("{percent:+.2} %"));
        let (name, before, now) = (&self.name, number(before), number(self.counted));
        let line = format!("{name:<44} {before:>13} {now:>13} {percent:>10}  {}", self.verdict.text());
        formatter.write_str(line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rows: &[(&str, u64, f64)]) -> Table {
        let figure = |(name, count, tolerance): &(&str, u64, f64)| {
            ((*name).to_owned(), Figure { count: *count, tolerance: *tolerance })
        };
        rows.iter().map(figure).collect()
    }

    fn counts(rows: &[(&str, u64)]) -> Counted {
        rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn a_count_may_differ_by_its_tolerance_in_both_directions() {
        let figures = figures(&[("a", 10_000, 2.0)]);
        for (count, verdict) in [
            (10_000, Verdict::AsBefore),
            (10_200, Verdict::AsBefore),
            (10_201, Verdict::More),
            (9_800, Verdict::AsBefore),
            (9_799, Verdict::Fewer),
        ] {
            assert_eq!(compare(&figures, &counts(&[("a", count)]))[0].verdict, verdict, "{count}");
        }
    }

    #[test]
    fn nothing_is_left_out_silently() {
        let rows =
            compare(&figures(&[("old", 1, 2.0), ("same", 5, 2.0)]), &counts(&[("new", 3), ("same", 5)]));
        let verdicts: Vec<_> = rows.iter().map(|row| (&*row.name, row.verdict)).collect();
        assert_eq!(verdicts, [("new", Verdict::New), ("old", Verdict::Gone), ("same", Verdict::AsBefore)]);
        assert_eq!(rows.iter().filter(|row| row.verdict.is_failure()).count(), 2);
    }

    #[test]
    fn a_row_names_what_was_counted_and_both_numbers() {
        let rows = compare(&figures(&[("map: get", 10_000, 2.0)]), &counts(&[("map: get", 12_345)]));
        let shown = rows[0].to_string();
        let words: Vec<_> = shown.split_whitespace().collect();
        let expected = "map: get 10,000 12,345 +23.45 % MORE than the figure allows";
        assert_eq!(words.join(" "), expected);
    }
}
