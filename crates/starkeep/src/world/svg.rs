//! A world drawn as SVG, north at the top: the rings as shades, ways between planets as lines, deposits and stations in colour.
//! The file stands alone, and says what each place is when one points at it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use starkeep_map_core::{Layout, NewDeposit, PlanetWithoutId, Ring, value_as_number};

use super::legend::{LOOKS, Look};

/// The width of a place, and of the margin around all of them.
const STEP: u32 = 24;
const MARGIN: u32 = 40;
const FOOTER: u32 = 44;
/// The legend needs so much, however small the world is.
const LEAST_WIDTH: u32 = 680;

pub(super) fn draw(layout: &Layout, title: &str) -> String {
    let edge = layout.side * STEP;
    let (width, height) = ((edge + 2 * MARGIN).max(LEAST_WIDTH), edge + 2 * MARGIN + FOOTER);
    let left = (width - edge) / 2;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#0d1117\"/>\n\
         <text x=\"{left}\" y=\"26\" fill=\"#c9d1d9\" font-size=\"15\">{title}</text>\n\
         <g transform=\"translate({left} {MARGIN})\">\n"
    );
    rings(&mut svg, layout.side);
    ways(&mut svg, layout);
    places(&mut svg, layout);
    svg += "</g>\n";
    legend(&mut svg, edge + MARGIN + FOOTER);
    svg += "</svg>\n";
    svg
}

fn rings(svg: &mut String, side: u32) {
    for (ring, fill) in [(Ring::Outer, "#161b22"), (Ring::Mid, "#1c2430"), (Ring::Inner, "#243040")] {
        // The rings are squares around the middle: what lies on the diagonal tells where they begin.
        let first = (0..side).find(|place| {
            let place = u16::try_from(*place).unwrap_or(u16::MAX);
            Ring::at(place, place, side) <= ring
        });
        let Some(first) = first else { continue };
        let (corner, edge) = (first * STEP, (side - 2 * first) * STEP);
        let _ = writeln!(
            svg,
            "<rect x=\"{corner}\" y=\"{corner}\" width=\"{edge}\" height=\"{edge}\" rx=\"10\" fill=\"{fill}\"/>"
        );
    }
}

/// One path for all ways: a large world has two hundred thousand.
fn ways(svg: &mut String, layout: &Layout) {
    let places: BTreeSet<(u16, u16)> = layout.planets.iter().map(|planet| (planet.x, planet.y)).collect();
    let mut path = String::new();
    for planet in &layout.planets {
        let (x, y) = centre(layout.side, *planet);
        if places.contains(&(planet.x + 1, planet.y)) {
            let _ = write!(path, "M{x} {y}h{STEP}");
        }
        if places.contains(&(planet.x, planet.y + 1)) {
            let _ = write!(path, "M{x} {y}v-{STEP}");
        }
    }
    let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"#30363d\" stroke-width=\"2\"/>");
}

fn places(svg: &mut String, layout: &Layout) {
    let mut deposits = layout.deposits.iter().peekable();
    let mut values = layout.fairness.values.iter();
    for (slot, planet) in (0..).zip(&layout.planets) {
        let deposit = deposits.next_if(|deposit: &&NewDeposit| deposit.slot == slot);
        let look = Look::of(*planet, deposit);
        let (x, y) = centre(layout.side, *planet);
        let mut about = format!("{} at ({}, {})", look.name(), planet.x, planet.y);
        if look == Look::Station {
            let value = values.next().copied().unwrap_or_default();
            let _ = write!(about, ", value {:.3}", value_as_number(value));
        }
        svg.push_str(&shape(look, x, y, &about));
    }
}

fn shape(look: Look, x: u32, y: u32, about: &str) -> String {
    let [red, green, blue] = look.colour();
    let fill = format!("fill=\"#{red:02x}{green:02x}{blue:02x}\"");
    let title = if about.is_empty() { String::new() } else { format!("<title>{about}</title>") };
    match look {
        Look::Station => {
            format!("<path d=\"M{x} {}l10 10l-10 10l-10 -10z\" {fill}>{title}</path>\n", y - 10)
        }
        Look::Deposit(_) => format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"7\" {fill}>{title}</circle>\n"),
        Look::Planet => format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" {fill}>{title}</circle>\n"),
    }
}

fn legend(svg: &mut String, y: u32) {
    let mut x = MARGIN + 8;
    for look in LOOKS {
        svg.push_str(&shape(look, x, y, ""));
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{}\" fill=\"#8b949e\">{}</text>", x + 16, y + 5, look.name());
        x += 44 + 7 * u32::try_from(look.name().len()).unwrap_or(0);
    }
}

/// y grows to the north, and down in a picture.
fn centre(side: u32, planet: PlanetWithoutId) -> (u32, u32) {
    let half = STEP / 2;
    (u32::from(planet.x) * STEP + half, (side - 1 - u32::from(planet.y)) * STEP + half)
}

#[cfg(test)]
mod tests {
    use starkeep_map_core::{Spec, Style, generate};

    use super::*;

    #[test]
    fn every_planet_is_drawn_once() {
        let layout = generate(7, &Spec { players: 3, style: Style::Balanced });
        let svg = draw(&layout, "a world");
        assert_eq!(svg.matches("<title>").count(), layout.planets.len() + 1);
        assert_eq!(svg.matches("space station at").count(), 6);
        assert_eq!(svg.matches("coal at").count(), 11);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
}
