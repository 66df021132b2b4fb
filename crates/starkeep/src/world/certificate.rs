//! How fair a world's starts are, as text.
//! The same numbers as `GET /gameworlds/{id}/fairness`.

use std::fmt::Write as _;

use starkeep_map_core::{Layout, PlanetKind, Spec, reach, value_as_number};

/// More stations than this are counted and not listed.
const MOST_LISTED: usize = 40;

pub(super) fn describe(layout: &Layout, spec: Spec) -> String {
    let Layout { side, planets, deposits, fairness } = layout;
    let stations: Vec<_> = planets.iter().filter(|planet| planet.kind == PlanetKind::SpaceStation).collect();
    let spread = fairness.spread();
    let ratio = |ratio: Option<f64>| {
        ratio.map_or("none, as the worst is 0".to_owned(), |ratio| format!("{ratio:.3}"))
    };
    let mut text = format!(
        "{side} x {side} places, {} planets, {} stations, {} deposits\n",
        planets.len(),
        stations.len(),
        deposits.len()
    );
    let connected = if fairness.connected { "yes" } else { "no" };
    let least = fairness.least_distance.map_or("-".to_owned(), |moves| format!("{moves} moves"));
    let _ = writeln!(text, "connected             {connected}");
    let _ = writeln!(text, "nearest two stations  {least}");
    let _ = writeln!(text, "best start            {:.3}", value_as_number(spread.best));
    let _ = writeln!(text, "worst start           {:.3}", value_as_number(spread.worst));
    let _ = writeln!(text, "ratio                 {}", ratio(spread.ratio()));
    let _ = writeln!(text, "ratio before          {}", ratio(fairness.before.ratio()));
    let _ = writeln!(
        text,
        "\nA start's value is the sum of weight / (1 + distance) over the deposits at distance {} or less;\n\
         weights: coal 1, iron 2, gem 4, gold 8, platin 16.",
        reach(spec.players)
    );
    if stations.len() <= MOST_LISTED {
        text += "\n station (x, y)   value\n";
        for (station, value) in stations.iter().zip(&fairness.values) {
            let place = format!("({}, {})", station.x, station.y);
            let _ = writeln!(text, " {place:<15} {:>7.3}", value_as_number(*value));
        }
    }
    text
}
