//! A world drawn with letters, north at the top, for a terminal.
//! With colours the three rings have backgrounds of their own.

use std::fmt::Write as _;

use starkeep_map_core::{Layout, NewDeposit, Ring};

use super::legend::{LOOKS, Look};

pub(super) fn draw(layout: &Layout, in_colour: bool) -> String {
    let side = layout.side as usize;
    let mut looks: Vec<Option<Look>> = vec![None; side * side];
    let mut deposits = layout.deposits.iter().peekable();
    for (slot, planet) in (0..).zip(&layout.planets) {
        let deposit = deposits.next_if(|deposit: &&NewDeposit| deposit.slot == slot);
        looks[usize::from(planet.y) * side + usize::from(planet.x)] = Some(Look::of(*planet, deposit));
    }
    let mut text = String::new();
    for (y, row) in (0..).zip(looks.chunks(side)).collect::<Vec<_>>().into_iter().rev() {
        let mut line = String::new();
        for (x, look) in (0..).zip(row) {
            let background = background(Ring::at(x, y, layout.side));
            let letter = look.map_or(' ', Look::letter);
            match look {
                Some(look) if in_colour => {
                    let colour = terminal_colour(look.colour());
                    let _ = write!(line, "\x1b[38;5;{colour};48;5;{background}m {letter}");
                }
                None if in_colour => line += "\x1b[49m  ",
                _ => line.extend([' ', letter]),
            }
        }
        text += line.trim_end();
        text += if in_colour { " \x1b[0m\n" } else { "\n" };
    }
    text + &legend(in_colour)
}

fn legend(in_colour: bool) -> String {
    let entries = LOOKS.map(|look| {
        let (letter, name) = (look.letter(), look.name());
        if in_colour {
            format!("\x1b[38;5;{}m{letter}\x1b[0m {name}", terminal_colour(look.colour()))
        } else {
            format!("{letter} {name}")
        }
    });
    format!("\n {}\n", entries.join("   "))
}

/// The nearest of the 216 colours that every terminal with colours has.
fn terminal_colour(colour: [u8; 3]) -> u16 {
    let [red, green, blue] = colour.map(|part| (u16::from(part) * 5 + 127) / 255);
    16 + 36 * red + 6 * green + blue
}

/// The nearer to the centre, the lighter.
fn background(ring: Ring) -> u8 {
    match ring {
        Ring::Outer => 233,
        Ring::Mid => 235,
        Ring::Inner => 237,
    }
}

#[cfg(test)]
mod tests {
    use starkeep_map_core::{
        CustomDeposit, CustomPlanet, PlanetKind, PlanetWithoutId, ResourceKind, custom_layout,
    };

    use super::*;

    #[test]
    fn north_is_at_the_top_and_holes_are_empty() {
        let planet = |x, y, kind| PlanetWithoutId { x, y, kind, movement_difficulty: 1 };
        let plain = |x, y| CustomPlanet { planet: planet(x, y, PlanetKind::Default), deposit: None };
        let gold = CustomDeposit { kind: ResourceKind::Gold, max_amount: 5, current_amount: 5 };
        let planets = [
            CustomPlanet { planet: planet(0, 0, PlanetKind::SpaceStation), deposit: None },
            CustomPlanet { deposit: Some(gold), ..plain(0, 1) },
            plain(0, 2),
            plain(1, 2),
            plain(2, 2),
            plain(2, 1),
        ];
        let layout = custom_layout(&planets, 1).unwrap();
        let picture = draw(&layout, false);
        assert!(picture.starts_with(" · · ·\n g   ·\n S\n\n S space station   c coal"), "{picture}");
        let coloured = draw(&layout, true);
        assert!(coloured.contains("\x1b[38;5;221;48;5;233m g"), "{coloured:?}");
        assert!(
            coloured
                .lines()
                .all(|line| line.is_empty() || line.ends_with("\x1b[0m") || line.contains("planet"))
        );
    }
}
