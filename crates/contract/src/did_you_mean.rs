//! The known word that somebody probably meant: spelled otherwise, mistyped, or a part of it.
//! What is too far from every known word gets no suggestion.

/// Longer words are nobody's mistake.
const LONGEST: usize = 64;
/// A part of a word that is shorter stands in too many words.
const SHORTEST_PART: usize = 4;

/// The nearest of the known words, if one is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    let near = known.into_iter().filter_map(|known| Some((distance(&word, &plain(known))?, known)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// The same as the end of a sentence: "; did you mean `duration`?", or nothing.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// `max_rounds`, `maxRounds` and `MAX-ROUNDS` are the same.
fn plain(word: &str) -> String {
    word.chars().take(LONGEST + 1).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many letters differ, if the two are near.
fn distance(word: &str, known: &str) -> Option<usize> {
    let (length, of_known) = (word.chars().count(), known.chars().count());
    if length == 0 || length > LONGEST {
        return None;
    }
    let (short, long) = (length.min(of_known), length.max(of_known));
    let is_part =
        (word.contains(known) || known.contains(word)) && short >= SHORTEST_PART && 2 * short >= long;
    let letters = strsim::osa_distance(word, known);
    (is_part || letters <= short / 3).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 9] = [
        "name",
        "maxRounds",
        "maxPlayers",
        "duration",
        "seed",
        "nonce",
        "style",
        "gameworldId",
        "startMoney",
    ];

    #[test]
    fn what_is_spelled_otherwise_mistyped_or_a_part_is_near() {
        for (word, meant) in [
            ("roundDuration", "duration"),
            ("Duration", "duration"),
            ("duratoin", "duration"),
            ("maxround", "maxRounds"),
            ("max_rounds", "maxRounds"),
            ("rounds", "maxRounds"),
            ("players", "maxPlayers"),
            ("max-player", "maxPlayers"),
            ("money", "startMoney"),
            ("gameworld", "gameworldId"),
            ("gameName", "name"),
        ] {
            assert_eq!(nearest(word, FIELDS), Some(meant), "{word}");
        }
        assert_eq!(suggestion("robot", ["HEALTH", "ROBOT"]), "; did you mean `ROBOT`?");
    }

    #[test]
    fn what_is_far_gets_no_suggestion() {
        for word in ["colour", "x", "", "_", "id", "roundLength", "roundTime", &"duration".repeat(40)] {
            assert_eq!(nearest(word, FIELDS), None, "{word}");
        }
        assert_eq!(suggestion("colour", FIELDS), "");
    }

    #[test]
    fn every_known_word_is_nearest_to_itself() {
        for known in FIELDS {
            assert_eq!(nearest(&known.to_uppercase(), FIELDS), Some(known));
        }
    }
}
