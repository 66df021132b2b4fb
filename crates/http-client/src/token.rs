//! A token that is sent with every request of a caller.
//! It is a secret: nothing here prints it, and the header that carries it is marked as sensitive.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use http::header::InvalidHeaderValue;

#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    pub fn new(token: &str) -> Self {
        Self(Arc::from(token))
    }

    pub(crate) fn header(&self) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_and_never_printed() {
        let token = Token::new("s3cret");
        let header = token.header().unwrap();
        assert_eq!(header.as_bytes(), b"Bearer s3cret");
        assert!(!format!("{token:?} {header:?}").contains("s3cret"));
    }
}
