//! The report as one JSON document with every round, for programs.

use serde_json::{Value, json};

use super::{Measured, Report};

impl Report {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "mode": self.mode,
            "slice_seconds": self.slice.counted.as_secs_f64(),
            "paths": self.measured.iter().map(path).collect::<Vec<_>>(),
        })
    }
}

fn path(measured: &Measured) -> Value {
    let mut row = json!({
        "name": measured.path.name,
        "path": measured.path.what,
        "beside": measured.path.beside,
        "at_least": measured.path.at_least,
    });
    if let Some(finding) = measured.finding() {
        row["ratio"] = json!(finding.ratio);
        row["met"] = json!(finding.is_met);
        row["cpu_ratio"] = json!(finding.cpu_ratio());
        row["samples"] = json!(finding.samples);
    }
    match &measured.rounds {
        Ok(rounds) => row["rounds"] = json!(rounds),
        Err(why) => row["not_measured"] = json!(why),
    }
    row
}

#[cfg(test)]
mod tests {
    use super::super::tests::{report, report_with_a_gap};
    use super::*;

    #[test]
    fn a_ratio_below_the_target_is_missed() {
        let json = report([700.0, 950.0, 800.0]).to_json();
        assert_eq!(json["paths"][0]["ratio"], json!({"median": 0.8, "low": 0.7, "high": 0.95}));
        assert_eq!(json["paths"][0]["met"], false);
        assert_eq!(json["paths"][0]["cpu_ratio"], 0.5);
        assert_eq!(json["paths"][0]["rounds"][1]["ours"]["per_second"], 950.0);
    }

    #[test]
    fn what_was_not_measured_says_why() {
        let json = report_with_a_gap().to_json();
        assert_eq!(json["paths"][1]["not_measured"], "no <java> & \"mvn\", none");
        assert_eq!(json["paths"][1]["ratio"], Value::Null);
    }
}
