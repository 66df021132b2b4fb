//! Creates the topics that are missing: with one partition, which keeps the order, and replicated as the cluster is set to.
//! Brokers before Kafka 2.4 cannot be asked for their own setting; there a topic has one replica.

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication, TopicResult};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use starkeep_platform::clock::within;
use starkeep_platform::relay::BrokerFault;

use crate::{DebugLog, Kafka};

const AS_THE_CLUSTER_IS_SET: i32 = -1;
const ONE_REPLICA: i32 = 1;

impl Kafka {
    /// After twice the time-out it is given up, whatever the library does.
    pub(crate) async fn create_missing(&self, topics: &[&str], timeout: Duration) -> Result<(), BrokerFault> {
        // Side by side: a broker that does not answer is reported no later.
        tokio::join!(self.warn_if_too_old(), self.create_missing_topics(topics, timeout)).1
    }

    async fn create_missing_topics(&self, topics: &[&str], timeout: Duration) -> Result<(), BrokerFault> {
        let admin: AdminClient<DebugLog> =
            self.config().create_with_context(DebugLog).map_err(|error| self.fault(&error))?;
        let mut created = self.create(&admin, topics, AS_THE_CLUSTER_IS_SET, timeout).await?;
        if let Err(KafkaError::AdminOp(RDKafkaErrorCode::UnsupportedFeature)) = created {
            created = self.create(&admin, topics, ONE_REPLICA, timeout).await?;
        }
        for outcome in created.map_err(|error| self.fault(&error))? {
            match outcome {
                Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                Err((topic, code)) => {
                    let reason = format!("did not create topic {topic}: {code}");
                    return Err(BrokerFault { broker: self.servers.clone(), reason });
                }
            }
        }
        Ok(())
    }

    /// What the library answers; a fault if it does not.
    async fn create(
        &self,
        admin: &AdminClient<DebugLog>,
        topics: &[&str],
        replicas: i32,
        timeout: Duration,
    ) -> Result<Result<Vec<TopicResult>, KafkaError>, BrokerFault> {
        let replication = || TopicReplication::Fixed(replicas);
        let topics: Vec<_> = topics.iter().map(|topic| NewTopic::new(topic, 1, replication())).collect();
        let options = AdminOptions::new().request_timeout(Some(timeout));
        let created = admin.create_topics(&topics, &options);
        let created = within(&*self.clock, 2 * timeout, created).await;
        created.ok_or_else(|| self.no_answer(2 * timeout))
    }
}
