//! Topics that refuse records that come late. Where several replicas send one after the other, one that was frozen may go on
//! with what it had queued, after the next one has read what arrived. The broker compares the time at which a record was sent with
//! its own clock, so it is told to refuse what is older than a while, and the next replica waits for so long.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, ConfigEntry, ConfigResource, ConfigSource,
    OwnedResourceSpecifier, ResourceSpecifier,
};
use starkeep_platform::clock::within;
use starkeep_platform::relay::BrokerFault;

use crate::{DebugLog, Kafka, REQUEST_TIMEOUT};

/// A record that is older is refused, in milliseconds.
const OLDEST: &str = "2000";
/// The clocks of the broker and of the replicas agree to half a second.
pub(crate) const REFUSED_FOR_CERTAIN: Duration = Duration::from_millis(2500);
/// What a refusal means to a person.
pub(crate) const REFUSED: &str =
    "records that are older than 2 s are refused; does its clock agree with the clock of this machine?";

/// The setting has another name since Kafka 3.6.
const SETTINGS: [&str; 2] = ["message.timestamp.before.max.ms", "message.timestamp.difference.max.ms"];
/// What its value is compared with: the time of the sender, or of the broker.
const COMPARED: (&str, &str) = ("message.timestamp.type", "CreateTime");

impl Kafka {
    /// Sets it for those topics that are not set so. A broker that does not allow that is sent to all the same; then a replica that
    /// is frozen in the middle of sending may repeat a record.
    pub(crate) async fn refuse_late_records(&self, topics: &[&str]) -> Result<(), BrokerFault> {
        let admin: AdminClient<DebugLog> =
            self.config().create_with_context(DebugLog).map_err(|error| self.fault(&error))?;
        let options = AdminOptions::new().request_timeout(Some(REQUEST_TIMEOUT));
        let specifiers: Vec<_> = topics.iter().map(|topic| ResourceSpecifier::Topic(topic)).collect();
        let described =
            within(&*self.clock, 2 * REQUEST_TIMEOUT, admin.describe_configs(&specifiers, &options));
        let described = described.await.ok_or_else(|| self.no_answer(2 * REQUEST_TIMEOUT))?;
        let described = described.map_err(|error| self.fault(&error))?;
        let mut refusal = None;
        let mut lenient = Vec::new();
        for described in described {
            match described {
                Ok(described) if is_strict(&described) => {}
                Ok(described) => lenient.push(described),
                Err(code) => refusal = Some(code.to_string()),
            }
        }
        if !lenient.is_empty() {
            let changes: Vec<_> = lenient.iter().filter_map(stricter).collect();
            let altered =
                within(&*self.clock, 2 * REQUEST_TIMEOUT, admin.alter_configs(&changes, &options)).await;
            let altered = altered.ok_or_else(|| self.no_answer(2 * REQUEST_TIMEOUT))?;
            let refused = |outcome: Result<_, (_, _)>| outcome.err().map(|(_, code)| code);
            let altered = altered.map_err(|error| self.fault(&error))?;
            refusal = altered.into_iter().find_map(refused).map(|code| code.to_string()).or(refusal);
        }
        if let Some(reason) = refusal
            && !self.is_lenience_told.swap(true, Ordering::Relaxed)
        {
            let (broker, setting) = (&self.servers, SETTINGS[0]);
            tracing::warn!(
                "the broker at {broker} did not set {setting} of the topics to {OLDEST}: {reason}; a replica that was \
                 frozen may repeat records until somebody else sets it"
            );
        }
        Ok(())
    }
}

fn is_strict(described: &ConfigResource) -> bool {
    let value = |name| described.get(name).and_then(|entry| entry.value.as_deref());
    let limit = |name| value(name).and_then(|millis| millis.parse::<u64>().ok());
    let is_short = |millis| OLDEST.parse().is_ok_and(|oldest: u64| millis <= oldest);
    value(COMPARED.0) == Some(COMPARED.1) && SETTINGS.into_iter().filter_map(limit).any(is_short)
}

/// The settings that the topic has of its own, and this one: what is not named goes back to its default.
fn stricter(described: &ConfigResource) -> Option<AlterConfig<'_>> {
    let OwnedResourceSpecifier::Topic(topic) = &described.specifier else { return None };
    let setting = SETTINGS.into_iter().find(|name| described.get(name).is_some()).unwrap_or(SETTINGS[0]);
    let is_own = |entry: &&ConfigEntry| {
        entry.source == ConfigSource::DynamicTopic && entry.name != setting && entry.name != COMPARED.0
    };
    let own = described.entries.iter().filter(is_own);
    let own = own.filter_map(|entry| Some((entry.name.as_str(), entry.value.as_deref()?)));
    let change =
        AlterConfig::new(ResourceSpecifier::Topic(topic)).set(setting, OLDEST).set(COMPARED.0, COMPARED.1);
    Some(own.fold(change, |change, (name, value)| change.set(name, value)))
}
