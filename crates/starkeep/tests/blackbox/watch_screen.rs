//! `starkeep watch` on a terminal of 80×24: all of it fits, the countdown runs, and the screen is restored.

use std::sync::Arc;

use starkeep_platform::clock::{Clock, SystemClock};
use tokio::sync::Notify;

use crate::bot::{join, registered};
use crate::host::Host;
use crate::terminal::{Terminal, Typed};

/// The seconds that the countdown shows.
fn countdown(screen: &vt100::Screen) -> Option<f64> {
    let text = screen.contents();
    let line = text.lines().find(|line| line.starts_with('[') && line.ends_with(" s"))?;
    line.trim_end_matches(" s").rsplit(' ').next()?.parse().ok()
}

async fn with_players(host: &Host, game: &str, count: u32) {
    for number in 1..=count {
        let (_, token) = registered(&host.program.game(), number).await;
        join(&host.program.game(), &game.into(), &token).await;
    }
}

#[tokio::test]
async fn more_players_than_rows_fit_and_the_countdown_runs_while_nothing_happens() {
    let host = Host::start(&[]).await;
    // The first half of it fills 80 columns.
    let wide = format!("{}{}", "機".repeat(40), "x".repeat(40));
    let id = host.created(&["--name", &wide, "--duration", "1h", "--players", "30"]).await;
    with_players(&host, &id, 30).await;
    host.json(&["start", &id]).await;
    let terminal = Terminal::new(&["watch"]).with("STARKEEP_GAME_URL", &host.url);
    let mut first = None;
    let left = terminal
        .watched(move |screen| match countdown(screen) {
            // It is read while it is being written: a digit may be missing.
            Some(now) if now > 1_000.0 && *first.get_or_insert(now) > now + 0.5 => {
                let text = screen.contents();
                for word in ["round 1 of 20, running, commands are taken", "bot-1 ", "watching 機"] {
                    assert!(text.contains(word), "{word}: {text}");
                }
                Typed::Interrupt
            }
            _ => Typed::Nothing,
        })
        .await;
    assert_eq!(left.code, 0);
    assert!(left.has_colours());
    assert!(!left.screen().alternate_screen() && !left.screen().hide_cursor(), "the screen is restored");
}

#[tokio::test]
async fn how_the_game_ended_stays_on_the_terminal() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--name", "Lecture", "--duration", "1h"]).await;
    with_players(&host, &id, 1).await;
    host.json(&["start", &id]).await;
    let terminal =
        Terminal::new(&["watch", "Lecture"]).with("STARKEEP_GAME_URL", &host.url).with("NO_COLOR", "1");
    let (is_shown, seen) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let shown = is_shown.clone();
    let watching = terminal.watched(move |screen| {
        if screen.contents().contains("commands are taken") {
            shown.notify_one();
        }
        Typed::Nothing
    });
    let ending = async {
        is_shown.notified().await;
        host.json(&["end", &id]).await;
        seen.notify_one();
    };
    let (left, ()) = tokio::join!(watching, ending);
    assert_eq!(left.code, 0);
    assert!(!left.has_colours(), "NO_COLOR is kept");
    let text = left.screen().contents();
    assert!(!left.screen().alternate_screen());
    for word in ["Lecture", "round 1 of 20, ended", "bot-1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[tokio::test]
async fn it_is_drawn_at_most_ten_times_a_second_however_much_happens() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--name", "Lecture", "--duration", "1h", "--players", "100"]).await;
    let clock = SystemClock::start();
    let began = clock.monotonic();
    let terminal = Terminal::new(&["watch", &id]).with("STARKEEP_GAME_URL", &host.url);
    let is_shown = Arc::new(Notify::new());
    let shown = is_shown.clone();
    let watching = terminal.watched(move |screen| {
        let text = screen.contents();
        if text.contains("Lecture") {
            shown.notify_one();
        }
        if text.contains("bot-60 joined") { Typed::Interrupt } else { Typed::Nothing }
    });
    let joining = async {
        is_shown.notified().await;
        with_players(&host, &id, 60).await;
    };
    let (left, ()) = tokio::join!(watching, joining);
    let lasted = clock.monotonic().since(began);
    let most = usize::try_from(lasted.as_millis() / 100).unwrap() + 1;
    assert!(left.pictures() <= most, "{} pictures in {lasted:?}", left.pictures());
    assert!(left.pictures() > 1);
}
