//! Apache Kafka behind the platform's ports: topics that events are sent to, and topics that are consumed.
//! What is sent, when, and what happens with consumed records, is decided elsewhere.

mod create;
mod deliveries;
mod late_records;
mod records;
mod release;
mod tail;
mod topics;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use starkeep_platform::clock::Clock;
use starkeep_platform::relay::BrokerFault;

pub use self::topics::KafkaTopics;

/// Of a request to the broker: `/health` shows within two seconds that a broker is unreachable.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(900);

/// A broker, or several of one cluster, as `host:port,host:port`.
#[derive(Clone)]
pub struct Kafka {
    servers: String,
    clock: Arc<dyn Clock>,
    /// Is the broker told to refuse records that come late?
    refuses_late_records: bool,
    /// Was it said that it cannot be told so?
    is_lenience_told: Arc<AtomicBool>,
    /// Has it been learned how old the broker is?
    release_known: Arc<AtomicBool>,
}

impl Kafka {
    /// Nothing is sent yet: the broker need not be reachable.
    pub fn at(servers: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            servers: servers.to_owned(),
            clock,
            refuses_late_records: false,
            is_lenience_told: Arc::default(),
            release_known: Arc::default(),
        }
    }

    /// For several replicas that send to the same topics one after the other: see `late_records`.
    #[must_use]
    pub fn refusing_late_records(self) -> Self {
        Self { refuses_late_records: true, ..self }
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
            // Its errors are returned as faults, which are logged by the callers.
            .set_log_level(RDKafkaLogLevel::Critical);
        config
    }

    fn fault(&self, error: &KafkaError) -> BrokerFault {
        let reason = match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::InvalidTimestamp) => late_records::REFUSED.to_owned(),
            Some(code) => code.to_string(),
            None => error.to_string(),
        };
        BrokerFault { broker: self.servers.clone(), reason: format!("returned an error: {reason}") }
    }

    fn no_answer(&self, within: Duration) -> BrokerFault {
        let reason = format!("did not answer within {} ms", within.as_millis());
        BrokerFault { broker: self.servers.clone(), reason }
    }

    /// For calls of the library that block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Self) -> Result<T, BrokerFault> + Send + 'static,
    ) -> Result<T, BrokerFault> {
        let kafka = self.clone();
        tokio::task::spawn_blocking(move || work(kafka)).await.unwrap_or_else(|fault| {
            Err(BrokerFault { broker: self.servers.clone(), reason: format!("could not be called: {fault}") })
        })
    }
}

/// Logs the library's own messages at debug level: it repeats every fault many times.
struct DebugLog;

impl ClientContext for DebugLog {
    fn log(&self, _: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(facility, message, "kafka");
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(%error, reason, "kafka");
    }
}

impl ConsumerContext for DebugLog {}
