//! The report as a drawing in SVG: a line for each path, with its ratio, its spread and the ratio to reach.
//! The scale is logarithmic, so that twice as good is as far from 1 as half as good.

use std::fmt::Write as _;

use super::{Finding, Measured, Report};

/// The smallest and the largest ratio that have a place of their own; what lies beyond is drawn at the edge.
const LEAST: f64 = 1.0 / 32.0;
const MOST: f64 = 32.0;

/// In pixels.
const NAMES: f64 = 170.0;
const PLOT: f64 = 560.0;
const FIGURES: f64 = 110.0;
const ROW: u32 = 22;
const HEAD: u32 = 56;

const MET: &str = "#1a7f37";
const MISSED: &str = "#cf222e";

impl Report {
    pub(crate) fn to_svg(&self) -> String {
        let count = u32::try_from(self.measured.len()).unwrap_or(u32::MAX);
        let (width, height) = (NAMES + PLOT + FIGURES, HEAD + count.saturating_mul(ROW) + ROW);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <title>Ratios to bare programs ({})</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"8\" y=\"20\">Dot: median ratio. Thick line: the middle half of the turns. Upright line: the ratio to reach.</text>\n",
            escaped(self.mode)
        );
        scale(&mut svg, height);
        for (measured, number) in self.measured.iter().zip(0..) {
            row(&mut svg, measured, f64::from(HEAD + number * ROW + ROW / 2));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// A light line for each power of two.
fn scale(svg: &mut String, height: u32) {
    let mut ratio = LEAST;
    while ratio <= MOST {
        let x = place(ratio);
        let name = if ratio < 1.0 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.0}") };
        let colour = if (ratio - 1.0).abs() < f64::EPSILON { "#57606a" } else { "#d0d7de" };
        let bottom = height - ROW / 2;
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{HEAD}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#57606a\">{name}</text>",
            HEAD - 8
        );
        ratio *= 2.0;
    }
}

fn row(svg: &mut String, measured: &Measured, y: f64) {
    let path = measured.path;
    let (baseline, target) = (y + 4.0, place(path.at_least));
    let _ = write!(
        svg,
        "<g><title>{}, beside {}</title><text x=\"8\" y=\"{baseline:.1}\">{}</text>",
        escaped(path.what),
        escaped(path.beside),
        escaped(path.name)
    );
    let figures = NAMES + PLOT + 8.0;
    if let Some(finding) = measured.finding() {
        let Finding { ratio, is_met, .. } = finding;
        let colour = if is_met { MET } else { MISSED };
        let (low, median, high) = (place(ratio.low), place(ratio.median), place(ratio.high));
        let (top, bottom) = (y - 7.0, y + 7.0);
        let _ = write!(
            svg,
            "<line x1=\"{target:.1}\" y1=\"{top:.1}\" x2=\"{target:.1}\" y2=\"{bottom:.1}\" stroke=\"#0969da\" stroke-width=\"2\"/>\
             <line x1=\"{low:.1}\" y1=\"{y:.1}\" x2=\"{high:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"4\" stroke-opacity=\"0.4\"/>\
             <circle cx=\"{median:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\
             <text x=\"{figures:.1}\" y=\"{baseline:.1}\" fill=\"{colour}\">{:.2} of {:.2}</text>",
            ratio.median, path.at_least
        );
    } else {
        let _ =
            write!(svg, "<text x=\"{figures:.1}\" y=\"{baseline:.1}\" fill=\"#57606a\">not measured</text>");
    }
    svg.push_str("</g>\n");
}

/// How far right a ratio is drawn.
fn place(ratio: f64) -> f64 {
    // A ratio that is no number, as of two zeros, has no place: it is drawn at the left edge.
    let ratio = if ratio.is_nan() { LEAST } else { ratio.clamp(LEAST, MOST) };
    NAMES + PLOT * (ratio / LEAST).log2() / (MOST / LEAST).log2()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::report_with_a_gap;
    use super::super::{Measured, Report};
    use super::*;
    use crate::paths;
    use crate::sample::Slice;

    /// The names of the elements, and how often each occurs; panics where one is not closed, or a text is not escaped.
    fn elements(svg: &str) -> Vec<String> {
        let (mut open, mut all) = (Vec::new(), Vec::new());
        let mut parts = svg.split('<');
        assert_eq!(parts.next(), Some(""), "something stands before the first element");
        for part in parts {
            let (tag, text) = part.split_once('>').expect("an element ends");
            assert!(!text.contains('>'), "a text is not escaped: {text}");
            let entities = text.split('&').skip(1).chain(tag.split('&').skip(1));
            for entity in entities {
                let known = ["amp;", "lt;", "gt;", "quot;"];
                assert!(
                    known.iter().any(|known| entity.starts_with(known)),
                    "a text is not escaped: &{entity}"
                );
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "an attribute is not closed: {tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "closed in another order");
            } else {
                let name = tag.split([' ', '/']).next().unwrap_or_default().to_owned();
                all.push(name.clone());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
        }
        assert_eq!(open, Vec::<String>::new(), "not everything is closed");
        all
    }

    #[test]
    fn the_drawing_is_well_formed_and_has_a_dot_for_each_ratio() {
        let elements = elements(&report_with_a_gap().to_svg());
        let count = |name: &str| elements.iter().filter(|element| *element == name).count();
        assert_eq!((count("svg"), count("g"), count("circle")), (1, 2, 1));
    }

    #[test]
    fn every_path_can_be_drawn() {
        let measured: Vec<_> =
            paths::all().map(|path| Measured { path, rounds: Err("<none> & nothing".to_owned()) }).collect();
        let count = measured.len();
        let slice = Slice { warm_up: std::time::Duration::ZERO, counted: std::time::Duration::ZERO };
        let drawn = elements(&Report { mode: "full", slice, measured }.to_svg());
        assert_eq!(drawn.iter().filter(|element| *element == "g").count(), count);
    }

    #[test]
    fn no_text_can_end_an_element() {
        let text = escaped("<a & \"b\">");
        assert_eq!(text, "&lt;a &amp; &quot;b&quot;&gt;");
        assert_eq!(elements(&format!("<title>{text}</title>")), ["title"]);
    }

    #[test]
    fn twice_as_good_is_as_far_from_one_as_half_as_good() {
        let middle = place(1.0);
        assert!((place(2.0) - middle - (middle - place(0.5))).abs() < 0.001);
        assert!((place(1_000.0) - place(MOST)).abs() < 0.001);
        assert!((place(f64::NAN) - place(LEAST)).abs() < 0.001);
    }
}
