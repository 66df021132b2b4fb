//! Lengths of time as people write them in flags: `500ms`, `60s`, `5m`, `24h`, `30d`; `0` and `0s` are off.

use std::time::Duration;

/// A length of time, or off.
pub(crate) fn duration_or_off(text: &str) -> Result<Option<Duration>, String> {
    let millis = if text == "0" { 0 } else { millis(text)? };
    Ok((millis > 0).then(|| Duration::from_millis(millis)))
}

/// A length of time that is not zero.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match millis(text)? {
        0 => Err(format!("`{text}` is no time at all")),
        millis => Ok(Duration::from_millis(millis)),
    }
}

fn millis(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is no length of time: write 500ms, 60s, 5m, 24h or 30d");
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| expected())?;
    let millis_each = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(expected()),
    };
    number.checked_mul(millis_each).ok_or_else(|| format!("`{text}` is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_and_everything_else_is_refused() {
        let cases =
            [("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("24h", 86_400_000), ("30d", 2_592_000_000)];
        for (text, millis) in cases {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in
            ["", "s", "5", "5 s", "-5s", "5.5s", "5w", "0s", "99999999999999999999s", "999999999999999999d"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
        for off in ["0", "0s", "0ms", "0h"] {
            assert_eq!(duration_or_off(off), Ok(None), "{off}");
        }
        assert_eq!(duration_or_off("5s"), Ok(Some(Duration::from_secs(5))));
    }
}
