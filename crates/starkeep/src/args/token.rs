//! The admin token: what `serve` asks of a host, and what the commands of a host show.
//! It is given as text or in a file, and never printed.

use std::path::PathBuf;

use clap::Args;

use super::headings::ACCESS;

const VARIABLE: &str = "STARKEEP_ADMIN_TOKEN";

/// In characters.
const SHORTEST: usize = 12;

#[derive(Args)]
pub(crate) struct TokenArgs {
    /// Admin token: whoever creates, changes or ends games has to show it. Other users of this machine can see it in the list
    /// of processes, so prefer --admin-token-file.
    #[arg(
        long,
        env = VARIABLE,
        hide_env_values = true,
        conflicts_with = "admin_token_file",
        value_name = "TOKEN",
        help_heading = ACCESS
    )]
    admin_token: Option<String>,

    /// File whose first line is the admin token.
    #[arg(long, env = "STARKEEP_ADMIN_TOKEN_FILE", value_name = "FILE", help_heading = ACCESS)]
    admin_token_file: Option<PathBuf>,
}

impl TokenArgs {
    /// The token, if there is one, or what is wrong with it.
    pub(crate) fn read(&self) -> Result<Option<String>, String> {
        let (token, place) = match (&self.admin_token, &self.admin_token_file) {
            (Some(token), _) => (token.clone(), "--admin-token".to_owned()),
            (None, Some(file)) => {
                let place = format!("--admin-token-file {}", file.display());
                let text = std::fs::read_to_string(file).map_err(|fault| format!("{place}: {fault}"))?;
                let token = text.lines().next().unwrap_or_default().trim().to_owned();
                if token.is_empty() {
                    return Err(format!("{place}: the file has no admin token in its first line"));
                }
                (token, place)
            }
            (None, None) => return Ok(None),
        };
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(format!("{place}: the admin token must be visible ASCII characters without blanks"));
        }
        Ok(Some(token))
    }

    /// How a POSIX shell gets the token again where it is not printed: a command that asks for it, if one has to, and the word for it.
    pub(crate) fn in_shell(&self) -> Option<(Option<&'static str>, String)> {
        let variable = format!("${VARIABLE}");
        match (&self.admin_token, &self.admin_token_file) {
            (Some(token), _) if is_in_environment(token) => Some((None, variable)),
            (Some(_), _) => Some((Some("read -r STARKEEP_ADMIN_TOKEN"), variable)),
            (None, Some(file)) => {
                let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                let quoted = file.display().to_string().replace('\'', r"'\''");
                Some((None, format!("$(head -n 1 '{quoted}')")))
            }
            (None, None) => None,
        }
    }

    /// What `read` says, for `serve`, where the token is chosen: others must not guess it.
    pub(crate) fn chosen(&self) -> Result<Option<String>, String> {
        let token = self.read()?;
        match token.as_ref().map(String::len) {
            Some(length @ ..SHORTEST) => Err(format!(
                "the admin token has {length} characters, and needs at least {SHORTEST}: `openssl rand -hex 16` makes one"
            )),
            _ => Ok(token),
        }
    }
}

/// Was it given there, and not as a flag?
#[expect(clippy::disallowed_methods, reason = "clap does not say where it found a value")]
fn is_in_environment(token: &str) -> bool {
    std::env::var(VARIABLE).is_ok_and(|given| given == token)
}
