//! The nonce of a gameworld: 32 hexadecimal digits that hide its seed in the seed's commitment until both are shown.
//! It is kept as it was written, upper and lower case: the commitment is made from the text.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Nonce(String);

impl Nonce {
    const DIGITS: usize = 32;

    pub fn parse(text: &str) -> Option<Self> {
        let is_nonce = text.len() == Self::DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_nonce.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Nonce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer).ok();
        let nonce = text.and_then(|text| Self::parse(&text));
        nonce.ok_or_else(|| D::Error::custom("expected a text of 32 hexadecimal digits"))
    }
}

impl PartialSchema for Nonce {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[0-9a-fA-F]{32}$"))
            .description(Some("32 hexadecimal digits."))
            .into()
    }
}

impl ToSchema for Nonce {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Nonce")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_has_32_hexadecimal_digits() {
        let text = "00112233445566778899aAbBcCdDeEfF";
        let nonce: Nonce = serde_json::from_value(text.into()).unwrap();
        assert_eq!((nonce.as_str(), serde_json::to_value(&nonce).unwrap()), (text, text.into()));
        for wrong in ["", "0011", "00112233445566778899aabbccddeefg", "00112233445566778899aabbccddeeff0"] {
            let refusal = serde_json::from_value::<Nonce>(wrong.into()).unwrap_err().to_string();
            assert_eq!(refusal, "expected a text of 32 hexadecimal digits");
        }
    }
}
