//! Which game is meant: a plain function of the games that there are and what was typed.

use std::fmt::Write;

use super::ShownGame;

/// By id, by name, by name without regard to case, by the beginning or the end of an id: the first of these that fits decides. Without
/// anything typed the only active game is meant. What is wrong is said for the person who typed it.
pub(crate) fn choose<'a>(games: &'a [ShownGame], wanted: Option<&str>) -> Result<&'a ShownGame, String> {
    let Some(wanted) = wanted else {
        let active: Vec<_> = games.iter().filter(|game| !game.has_ended()).collect();
        return match active.as_slice() {
            [] => Err("there is no active game\nhint: `starkeep game create` creates one, `starkeep game list` shows all"
                .to_owned()),
            [only] => Ok(only),
            several => Err(which_one("there are several active games", several)),
        };
    };
    let lower = wanted.to_lowercase();
    let id = |game: &ShownGame| game.game_id.to_string();
    let named =
        |game: &ShownGame, is_meant: &dyn Fn(&str) -> bool| game.name.as_deref().is_some_and(is_meant);
    let stages: [&dyn Fn(&ShownGame) -> bool; 4] = [
        &|game| id(game) == lower,
        &|game| named(game, &|name| name == wanted),
        &|game| named(game, &|name| name.to_lowercase() == lower),
        &|game| !lower.is_empty() && (id(game).starts_with(&lower) || id(game).ends_with(&lower)),
    ];
    for is_meant in stages {
        let meant: Vec<_> = games.iter().filter(|game| is_meant(game)).collect();
        let active: Vec<_> = meant.iter().copied().filter(|game| !game.has_ended()).collect();
        match (meant.as_slice(), active.as_slice()) {
            ([], _) => {}
            // Last week's game of the same name is not meant.
            ([only], _) | (_, [only]) => return Ok(only),
            (several, _) => {
                return Err(which_one(&format!("`{}` is several games", wanted.escape_debug()), several));
            }
        }
    }
    Err(format!(
        "there is no game `{}`: neither an id, nor the beginning or end of one, nor a name\nhint: `starkeep game list` shows all games",
        wanted.escape_debug()
    ))
}

fn which_one(problem: &str, games: &[&ShownGame]) -> String {
    let mut text = format!("{problem}; say which one:");
    for game in games.iter().take(20) {
        let _ = write!(text, "\n  {}  {}  {}", game.short_id(), game.status().0, game.label());
    }
    if games.len() > 20 {
        let _ = write!(text, "\n  and {} more", games.len() - 20);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_game as game;

    const A: &str = "aaaa1111-0000-4000-8000-0000aaaa1111";
    const B: &str = "aaaa2222-0000-4000-8000-0000aaaa2222";
    const C: &str = "cccc3333-0000-4000-8000-0000cccc4444";

    fn games() -> Vec<ShownGame> {
        vec![
            game(A, Some("Lecture"), "running"),
            game(B, Some("lecture"), "created"),
            game(C, Some("Finale"), "ended"),
        ]
    }

    #[track_caller]
    fn assert_chosen(games: &[ShownGame], wanted: Option<&str>, id: &str) {
        assert_eq!(choose(games, wanted).unwrap().game_id.to_string(), id, "{wanted:?}");
    }

    #[test]
    fn a_game_is_found_by_id_beginning_end_or_name() {
        let games = games();
        for (wanted, id) in [
            (A, A),
            (&A.to_uppercase()[..], A),
            ("aaaa1", A),
            ("AAAA2", B),
            ("cccc", C),
            ("c", C),
            ("cccc4444", C),
            ("Lecture", A),
            ("lecture", B),
            ("FINALE", C),
        ] {
            assert_chosen(&games, Some(wanted), id);
        }
    }

    #[test]
    fn without_anything_typed_it_is_the_only_active_one() {
        assert_chosen(&games()[1..], None, B);
        let several = choose(&games(), None).unwrap_err();
        for listed in ["aaaa1111  running  Lecture", "aaaa2222  created  lecture"] {
            assert!(several.contains(listed), "{several}");
        }
        assert!(!several.contains("Finale"), "{several}");
        assert!(choose(&games()[2..], None).unwrap_err().contains("no active game"));
    }

    #[test]
    fn what_is_not_clear_is_listed_and_what_is_unknown_is_said() {
        let games = games();
        for several in ["aaaa", "LECTURE"] {
            let text = choose(&games, Some(several)).unwrap_err();
            assert!(text.contains("aaaa1111") && text.contains("aaaa2222"), "{text}");
        }
        for unknown in ["ccd", "dddd", "", "Lect"] {
            assert!(choose(&games, Some(unknown)).unwrap_err().contains("there is no game"), "{unknown}");
        }
    }

    #[test]
    fn of_games_with_the_same_name_the_only_active_one_is_meant() {
        let games = [game(C, Some("Lecture"), "ended"), game(A, Some("Lecture"), "running")];
        assert_chosen(&games, Some("Lecture"), A);
    }
}
