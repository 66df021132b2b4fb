//! The admin token: what `serve` asks of a host, and what the commands of a host show.
//! It is given as text or in a file, and never printed.

use std::path::PathBuf;

use clap::Args;

use super::headings::ACCESS;

#[derive(Args)]
pub(crate) struct TokenArgs {
    /// Admin token: whoever creates, changes or ends games has to show it. Other users of this machine can see it in the list
    /// of processes, so prefer --admin-token-file.
    #[arg(
        long,
        env = "STARKEEP_ADMIN_TOKEN",
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
        let token = match (&self.admin_token, &self.admin_token_file) {
            (Some(token), _) => token.clone(),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|fault| format!("--admin-token-file {}: {fault}", file.display()))?;
                text.lines().next().unwrap_or_default().trim().to_owned()
            }
            (None, None) => return Ok(None),
        };
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("the admin token must be visible ASCII characters without blanks".to_owned());
        }
        Ok(Some(token))
    }
}
