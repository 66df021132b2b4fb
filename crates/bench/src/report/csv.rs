//! The report as comma-separated values: a line for each path, for a spreadsheet.

use super::{Measured, Report};

const HEAD: [&str; 17] = [
    "name",
    "path",
    "beside",
    "ratio",
    "low",
    "high",
    "at_least",
    "met",
    "ours_per_second",
    "bare_per_second",
    "ours_p99_micros",
    "bare_p99_micros",
    "ours_memory_bytes",
    "ours_cpu_micros",
    "bare_cpu_micros",
    "cpu_ratio",
    "samples",
];

impl Report {
    pub(crate) fn to_csv(&self) -> String {
        let rows = self.measured.iter().map(row);
        let mut text = String::new();
        for row in std::iter::once(HEAD.map(str::to_owned)).chain(rows) {
            text.push_str(&row.map(quoted).join(","));
            text.push('\n');
        }
        text
    }
}

fn row(measured: &Measured) -> [String; HEAD.len()] {
    let path = measured.path;
    let finding = measured.finding();
    // What was not measured has empty cells.
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
    let of = |figure: fn(&super::Finding) -> f64| cell(finding.as_ref().map(figure));
    let cpu = finding.as_ref().and_then(|finding| finding.cpu_micros);
    [
        path.name.to_owned(),
        path.what.to_owned(),
        path.beside.to_owned(),
        of(|finding| finding.ratio.median),
        of(|finding| finding.ratio.low),
        of(|finding| finding.ratio.high),
        path.at_least.to_string(),
        finding
            .as_ref()
            .map_or("not measured", |finding| if finding.is_met { "met" } else { "missed" })
            .to_owned(),
        of(|finding| finding.ours.per_second),
        of(|finding| finding.bare.per_second),
        of(|finding| finding.ours.p99_micros),
        of(|finding| finding.bare.p99_micros),
        finding
            .as_ref()
            .and_then(|finding| finding.ours.memory_bytes)
            .map_or_else(String::new, |bytes| bytes.to_string()),
        cell(cpu.map(|(ours, _)| ours)),
        cell(cpu.map(|(_, bare)| bare)),
        cell(finding.as_ref().and_then(super::Finding::cpu_ratio)),
        finding.as_ref().map_or_else(String::new, |finding| finding.samples.to_string()),
    ]
}

/// As RFC 4180 wants it: in quotes where something in it would end the cell.
fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report_with_a_gap;
    use super::*;

    /// The cells of one line, as a spreadsheet reads them.
    fn cells(line: &str) -> Vec<String> {
        let (mut cells, mut is_quoted) = (vec![String::new()], false);
        for character in line.chars() {
            match character {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => cells.push(String::new()),
                other => cells.last_mut().unwrap().push(other),
            }
        }
        cells
    }

    #[test]
    fn every_line_has_a_cell_for_each_column() {
        let csv = report_with_a_gap().to_csv();
        let lines: Vec<_> = csv.lines().map(cells).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == HEAD.len()), "{csv}");
        assert_eq!(
            lines[1][..8],
            [
                "time",
                "GET /games/{id}/time, 64 clients",
                "bare axum, same bytes",
                "0.9000",
                "0.8000",
                "0.9500",
                "0.9",
                "met"
            ]
        );
        assert_eq!(lines[1][13..], ["10.0000", "5.0000", "0.5000", "300"]);
        assert_eq!(lines[2][7..9], ["not measured", ""]);
    }

    #[test]
    fn only_what_would_end_a_cell_is_quoted() {
        assert_eq!(quoted("plain".to_owned()), "plain");
        assert_eq!(quoted("a, b".to_owned()), "\"a, b\"");
        assert_eq!(quoted("say \"a\"".to_owned()), "\"say \"\"a\"\"\"");
    }
}
