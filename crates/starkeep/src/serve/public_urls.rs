//! The addresses that clients are told instead of those on which the services listen: a proxy's, with or without TLS.
//! Nothing here is ever called by the services themselves.

use std::fmt;

use http::Uri;

use super::ServeError;
use crate::args::PublicUrlArgs;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(String);

impl PublicUrl {
    /// Paths are put behind it.
    fn parse(url: &str) -> Option<Self> {
        let parsed: Uri = url.parse().ok()?;
        let is_web = matches!(parsed.scheme_str(), Some("http" | "https"));
        (is_web && parsed.host().is_some() && parsed.query().is_none() && !url.contains('#'))
            .then(|| Self(url.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Of each service, if one was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublicUrls {
    game: Option<PublicUrl>,
    map: Option<PublicUrl>,
    robot: Option<PublicUrl>,
    trading: Option<PublicUrl>,
}

impl PublicUrls {
    pub(super) fn read(args: &PublicUrlArgs) -> Result<Self, ServeError> {
        let read = |given: &Option<String>, flag: &str| {
            // A variable that is set to nothing is not set.
            let Some(url) = given.as_deref().filter(|url| !url.is_empty()) else { return Ok(None) };
            PublicUrl::parse(url).map(Some).ok_or_else(|| {
                ServeError::Flags(format!(
                    "{flag}: `{}` is not the address of a service: it must look like https://game.example.org or \
                     http://192.0.2.7:8080",
                    url.escape_debug()
                ))
            })
        };
        Ok(Self {
            game: read(&args.game, "--public-game-url")?,
            map: read(&args.map, "--public-map-url")?,
            robot: read(&args.robot, "--public-robot-url")?,
            trading: read(&args.trading, "--public-trading-url")?,
        })
    }

    pub(crate) fn of(&self, service: &str) -> Option<&PublicUrl> {
        match service {
            "game" => self.game.as_ref(),
            "map" => self.map.as_ref(),
            "robot" => self.robot.as_ref(),
            "trading" => self.trading.as_ref(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_can_open_is_taken_and_nothing_else() {
        for (url, told) in [
            ("https://game.example.org", "https://game.example.org"),
            ("https://example.org:8443/game/", "https://example.org:8443/game"),
            ("http://192.0.2.7:8080", "http://192.0.2.7:8080"),
        ] {
            assert_eq!(PublicUrl::parse(url).map(|url| url.to_string()).as_deref(), Some(told));
        }
        for url in
            ["", "game.example.org", "ftp://x", "https://", "https://x?a=b", "https://x#a", "https://a b"]
        {
            assert_eq!(PublicUrl::parse(url), None, "{url}");
        }
    }
}
