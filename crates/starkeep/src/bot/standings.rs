//! How the game stands after a round, as one line for who watches.
//! The leaders are named, and where bots of this crowd are among them.

use std::fmt::Write;

use starkeep_contract::scores::ScoreboardRow;

/// So many players are named.
const NAMED: usize = 5;

/// None if nobody knows how the game stands: money and robots are another program's.
pub(super) fn line(round: u32, last_round: u32, rows: &[ScoreboardRow]) -> Option<String> {
    let known = rows.iter().filter_map(|row| Some((row, row.money?)));
    let mut line = format!("Round {round} of {last_round}:");
    let mut named = 0;
    for (row, money) in known.take(NAMED) {
        let separator = if named == 0 { "" } else { "," };
        write!(line, "{separator} {} {money}", row.name).ok()?;
        named += 1;
    }
    if named == 0 {
        return None;
    }
    if rows.len() > named {
        write!(line, ", and {} more", rows.len() - named).ok()?;
    }
    let robots: u32 = rows.iter().filter_map(|row| row.robots_alive).sum();
    let out = rows.iter().filter(|row| row.out == Some(true)).count();
    write!(line, "; {robots} robots").ok()?;
    if out > 0 {
        write!(line, ", {out} out").ok()?;
    }
    line.push('.');
    Some(line)
}

#[cfg(test)]
mod tests {
    use starkeep_contract::PlayerId;
    use uuid::Uuid;

    use super::*;

    fn row(name: &str, money: Option<u64>, robots_alive: Option<u32>, out: bool) -> ScoreboardRow {
        let player_id = PlayerId(Uuid::nil());
        let out = money.map(|_| out);
        ScoreboardRow {
            rank: 1,
            player_id,
            name: name.to_owned(),
            money,
            robots_alive,
            mined: None,
            fights_won: None,
            out,
            left: false,
        }
    }

    #[test]
    fn the_leaders_are_named_and_the_others_counted() {
        let two = [row("bot-2", Some(830), Some(4), false), row("bot-1", Some(20), Some(0), true)];
        let expected = "Round 7 of 100: bot-2 830, bot-1 20; 4 robots, 1 out.";
        assert_eq!(line(7, 100, &two).as_deref(), Some(expected));
        let seven = ["a", "b", "c", "d", "e", "f", "g"].map(|name| row(name, Some(200), Some(1), false));
        let expected = "Round 1 of 9: a 200, b 200, c 200, d 200, e 200, and 2 more; 7 robots.";
        assert_eq!(line(1, 9, &seven).as_deref(), Some(expected));
    }

    #[test]
    fn what_nobody_knows_is_not_told() {
        assert_eq!(line(1, 9, &[row("bot-1", None, None, false)]), None);
        assert_eq!(line(1, 9, &[]), None);
    }
}
