//! Colours are for people at a terminal who have not declined them.

use crate::host::Host;
use crate::terminal::Terminal;

#[tokio::test]
async fn colours_are_on_a_terminal_only_and_not_where_somebody_declines_them() {
    let host = Host::start(&[]).await;
    host.created(&["--name", "Lecture"]).await;
    let on_terminal =
        |words: &[&str]| Terminal::new(&[&["game"], words].concat()).with("STARKEEP_GAME_URL", &host.url);
    for command in ["list", "show"] {
        let plain = on_terminal(&[command]).left().await;
        assert!(plain.code == 0 && plain.has_colours(), "{command}: {}", plain.screen().contents());
        // An empty variable declines nothing.
        assert!(on_terminal(&[command]).with("NO_COLOR", "").left().await.has_colours(), "{command}");
        for declined in [
            on_terminal(&[command]).with("NO_COLOR", "1"),
            on_terminal(&[command, "--no-color"]),
            on_terminal(&[command, "--json"]),
        ] {
            let left = declined.left().await;
            assert!(left.code == 0 && !left.has_colours(), "{command}: {}", left.screen().contents());
            assert!(left.screen().contents().contains("Lecture"), "{command}");
        }
        assert!(!host.game(&[command]).await.stdout.contains('\u{1b}'), "{command} in a pipe");
    }
}
