//! Texts in a query or a path: every byte with a meaning of its own there is percent-encoded (RFC 3986).
//! Only unreserved characters stay as they are.

/// A text as it stands in a query.
pub fn encode_query(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let shown = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_has_a_meaning_is_encoded() {
        assert_eq!(encode_query("a-Z.0_~"), "a-Z.0_~");
        assert_eq!(encode_query("a b&c=d/é?"), "a%20b%26c%3Dd%2F%C3%A9%3F");
    }
}
