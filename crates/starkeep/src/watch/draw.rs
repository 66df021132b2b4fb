//! The screen as lines: a plain function of what is known, the time and the size of the terminal.

use starkeep_contract::game::Phase;
use starkeep_platform::clock::Monotonic;
use unicode_width::UnicodeWidthChar;

use super::model::Model;
use crate::paint::{Look, Paint, harmless};

/// A line never wider than the terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line(pub Look, pub String);

impl Line {
    pub(crate) fn text(&self, paint: Paint) -> String {
        paint.text(self.0, &self.1)
    }
}

pub(crate) fn draw(model: &Model, now: Monotonic, width: u16, height: u16) -> Vec<Line> {
    let (width, height) = (usize::from(width), usize::from(height));
    let mut lines = Vec::new();
    if let Some(page) = &model.page {
        lines.push((Look::Bold, format!("open {page}")));
    }
    match &model.game {
        None => lines.push((Look::Waiting, "There is no active game; waiting for the next one.".to_owned())),
        Some(game) => {
            let (status, look) = game.status();
            lines.push((Look::Bold, game.label()));
            lines.push((
                look,
                format!("round {} of {}, {status}{}", game.round(), game.max_rounds, phase(model)),
            ));
            lines.push((Look::Plain, countdown(model, now, width)));
        }
    }
    if model.is_away {
        lines.push((Look::Bad, "The game service is away; connecting again.".to_owned()));
    }
    lines.push((Look::Plain, String::new()));
    if !model.board.is_empty() {
        lines.push((
            Look::Dim,
            format!("{:>2}  {:<16} {:>7} {:>6} {:>6}", "#", "player", "money", "robots", "mined"),
        ));
        // At least half of what is left is for the events.
        let most = (height.saturating_sub(lines.len() + 1) / 2).max(1);
        for row in model.board.iter().take(most) {
            let known = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
            let mined = row
                .mined
                .as_ref()
                .map(|mined| mined.coal + mined.iron + mined.gem + mined.gold + mined.platin);
            let name = padded(&harmless(&row.name), 16);
            let (money, robots) = (known(row.money), known(row.robots_alive.map(u64::from)));
            let look = if row.out == Some(true) || row.left { Look::Dim } else { Look::Plain };
            lines.push((look, format!("{:>2}  {name} {money:>7} {robots:>6} {:>6}", row.rank, known(mined))));
        }
        lines.push((Look::Plain, String::new()));
    }
    let room = height.saturating_sub(lines.len());
    lines.extend(newest(model, room).into_iter().map(|sentence| (Look::Dim, sentence)));
    lines.truncate(height);
    lines.into_iter().map(|(look, text)| Line(look, fitted(&text, width))).collect()
}

/// The newest sentence first; several equal ones in a row are one line.
fn newest(model: &Model, most: usize) -> Vec<String> {
    let mut told: Vec<(&str, usize)> = Vec::new();
    for sentence in model.latest.iter().rev() {
        let is_full = told.len() == most;
        match told.last_mut() {
            Some((last, times)) if *last == sentence => *times += 1,
            _ if is_full => break,
            _ => told.push((sentence, 1)),
        }
    }
    let counted = |(sentence, times): (&str, usize)| match times {
        1 => sentence.to_owned(),
        times => format!("{sentence} ({times} times)"),
    };
    told.into_iter().map(counted).collect()
}

fn phase(model: &Model) -> &'static str {
    match model.clock.map(|clock| clock.phase) {
        Some(Phase::Collection) => ", commands are taken",
        Some(Phase::Execution) => ", commands are executed",
        None => "",
    }
}

/// A bar that empties, and the seconds that are left.
fn countdown(model: &Model, now: Monotonic, width: usize) -> String {
    let Some(clock) = model.clock else { return String::new() };
    let left = clock.left(now).min(clock.whole);
    let seconds = format!(" {:>5.1} s", left.as_secs_f64());
    let room = width.saturating_sub(seconds.len() + 2).min(60);
    let whole = usize::try_from(clock.whole.as_millis().max(1)).unwrap_or(1);
    let full = room * usize::try_from(left.as_millis()).unwrap_or(0) / whole;
    format!("[{}{}]{seconds}", "#".repeat(full), ".".repeat(room - full))
}

/// As much of the text as fits.
fn fitted(text: &str, width: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

fn padded(text: &str, width: usize) -> String {
    let fitted = fitted(text, width);
    let used: usize = fitted.chars().map(|c| c.width().unwrap_or(0)).sum();
    fitted + &" ".repeat(width - used)
}
