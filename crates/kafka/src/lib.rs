//! Apache Kafka behind the platform's ports: topics that events are sent to, and topics that are listened to.
//! What is sent, when, and what is made of what was heard, is decided elsewhere.

mod records;
mod tail;
mod topics;

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use starkeep_platform::relay::BrokerFault;

pub use self::topics::KafkaTopics;

/// A question to the broker is given up after this time: `/health` tells of one that is away within two seconds.
const PATIENCE: Duration = Duration::from_millis(900);

/// A broker, or several of one cluster, as `host:port,host:port`.
#[derive(Clone, Debug)]
pub struct Kafka {
    servers: String,
}

impl Kafka {
    /// Nothing is sent yet: the broker may be away for as long as it likes.
    pub fn at(servers: &str) -> Self {
        Self { servers: servers.to_owned() }
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.servers)
            .set("client.id", "starkeep")
            .set("allow.auto.create.topics", "false")
            .set("reconnect.backoff.ms", "50")
            .set("reconnect.backoff.max.ms", "500")
            .set("socket.nagle.disable", "true")
            // What it has to say is said in the faults that it returns.
            .set_log_level(RDKafkaLogLevel::Critical);
        config
    }

    fn fault(&self, error: &KafkaError) -> BrokerFault {
        let reason = error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string());
        BrokerFault { broker: self.servers.clone(), reason: format!("does not do as asked: {reason}") }
    }

    fn gone(&self, within: Duration) -> BrokerFault {
        let reason = format!("did not answer within {} ms", within.as_millis());
        BrokerFault { broker: self.servers.clone(), reason }
    }

    /// The library blocks in places; its callers here do not.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(Self) -> Result<T, BrokerFault> + Send + 'static,
    ) -> Result<T, BrokerFault> {
        let kafka = self.clone();
        tokio::task::spawn_blocking(move || work(kafka)).await.unwrap_or_else(|fault| {
            Err(BrokerFault { broker: self.servers.clone(), reason: format!("could not be asked: {fault}") })
        })
    }
}

/// The library's own log, which repeats every fault many times, is for who debugs it.
struct Quiet;

impl ClientContext for Quiet {
    fn log(&self, _: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(facility, message, "kafka");
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(%error, reason, "kafka");
    }
}

impl ConsumerContext for Quiet {}
