//! The database's address, as libpq writes it: `postgresql://user:password@host1,host2/database?sslmode=verify-full`.
//! What the driver does not know of it (how certificates are checked) is read here.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};

/// How long a connection to one of the hosts may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Where PostgreSQL is, and how it is spoken to. Shows no password.
#[derive(Clone)]
pub struct DatabaseUrl {
    config: Config,
    pub(crate) certificates: Certificates,
}

/// Whether the server's certificate is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Certificates {
    /// Any will do, as libpq's `prefer` and `require` do.
    Any,
    /// It leads to one of the system's roots, or to one in this file, and names the host.
    Checked { roots: Option<PathBuf> },
}

/// Why a text is not the address of a database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    #[error("it does not begin with `postgresql://` or `postgres://`")]
    Scheme,
    #[error("{0}")]
    Driver(String),
    #[error("`sslmode={0}` is none of disable, prefer, require, verify-full")]
    SslMode(String),
    #[error("no host is named in it")]
    NoHost,
}

impl FromStr for DatabaseUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        if !["postgresql://", "postgres://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(InvalidUrl::Scheme);
        }
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(PathBuf::from(value)),
                // Always read-write: a standby cannot be written.
                Some(("target_session_attrs", _)) => {}
                _ => rest.push(parameter),
            }
        }
        let rest = rest.join("&");
        let mut config = Config::from_str(&format!("{address}?{rest}"))
            .map_err(|fault| InvalidUrl::Driver(starkeep_platform::error_chain::error_chain(&fault)))?;
        if config.get_hosts().is_empty() {
            return Err(InvalidUrl::NoHost);
        }
        let (ssl_mode, certificates) = match mode {
            None | Some("prefer") => (SslMode::Prefer, Certificates::Any),
            Some("disable") => (SslMode::Disable, Certificates::Any),
            Some("require") if roots.is_none() => (SslMode::Require, Certificates::Any),
            // With roots libpq checks here, too.
            Some("require" | "verify-full") => (SslMode::Require, Certificates::Checked { roots }),
            Some(other) => return Err(InvalidUrl::SslMode(other.to_owned())),
        };
        config
            .ssl_mode(ssl_mode)
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(Duration::from_secs(3))
            .keepalives_idle(Duration::from_secs(10));
        Ok(Self { config, certificates })
    }
}

impl DatabaseUrl {
    /// For a session of this name, as `pg_stat_activity` shows it.
    pub(crate) fn config(&self, application: &str) -> Config {
        let mut config = self.config.clone();
        config.application_name(application);
        config
    }

    /// Where it is, for a person: hosts and database, and nothing that is secret.
    pub fn place(&self) -> String {
        let hosts: Vec<String> = self
            .config
            .get_hosts()
            .iter()
            .enumerate()
            .map(|(number, host)| {
                let ports = self.config.get_ports();
                let port = ports.get(number).or_else(|| ports.first()).copied().unwrap_or(5432);
                match host {
                    tokio_postgres::config::Host::Tcp(name) => format!("{name}:{port}"),
                    tokio_postgres::config::Host::Unix(folder) => format!("{}:{port}", folder.display()),
                }
            })
            .collect();
        format!("{}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DatabaseUrl({})", self.place())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DatabaseUrl, InvalidUrl> {
        text.parse()
    }

    #[test]
    fn hosts_and_how_certificates_are_checked_are_read() {
        let url =
            read("postgresql://ada:secret@one,two:5433/game?sslmode=verify-full&sslrootcert=/etc/ca.pem")
                .unwrap();
        assert_eq!(url.certificates, Certificates::Checked { roots: Some("/etc/ca.pem".into()) });
        assert_eq!(url.config("x").get_ssl_mode(), SslMode::Require);
        assert!(!format!("{url:?}").contains("secret"), "{url:?}");
        assert_eq!(read("postgres://localhost/game").unwrap().place(), "localhost:5432/game");
        assert_eq!(
            read("postgres://localhost/game?sslmode=require").unwrap().certificates,
            Certificates::Any
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        for (text, reason) in [
            ("localhost:5432", "begin with"),
            ("mysql://localhost", "begin with"),
            ("postgresql://localhost/game?sslmode=verify-ca", "verify-ca"),
            ("postgresql://localhost/game?connect_timeout=soon", "connect_timeout"),
            ("postgresql:///game", "no host"),
        ] {
            let refusal = read(text).unwrap_err().to_string();
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }
}
