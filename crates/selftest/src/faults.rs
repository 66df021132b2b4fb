//! Does the faults of a plan to an installation, and waits until it is well again.

use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::{Clock, Monotonic};
use starkeep_fault_harness::{Chance, HarnessError, LinkState, tear_tail};

use crate::installation::Installation;
use crate::plan::{Fault, Harm, LinkFault};
use crate::service::LoadSwitch;
use crate::targets::SERVICES;

/// No file is written past so many bytes on a full disk.
const LARGEST_FILE: u64 = 4096;
/// How often the services are asked whether they are well.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Who is not well after this long will not be.
const LONGEST_RECOVERY: Duration = Duration::from_mins(2);

pub(crate) struct Faults {
    pub(crate) clock: Arc<dyn Clock>,
    /// What is written into torn files.
    pub(crate) chance: Chance,
}

impl Faults {
    /// Returns when the cause is gone: the instant from which it may take a while until all is well.
    pub(crate) async fn inflict(
        &mut self,
        installation: &mut Installation,
        fault: &Fault,
    ) -> Result<Monotonic, HarnessError> {
        self.pass(Duration::from_micros(fault.micros)).await;
        match &fault.harm {
            Harm::Kill { services, torn, clock_shift } => {
                installation.kill(services).await?;
                let begin = self.clock.monotonic();
                for service in services {
                    if *torn {
                        self.tear(installation, service)?;
                    }
                    installation.serve(service, *clock_shift).await?;
                }
                return Ok(begin);
            }
            Harm::Stop { service } => {
                installation.stop(service).await?;
                let begin = self.clock.monotonic();
                installation.serve(service, 0).await?;
                return Ok(begin);
            }
            Harm::Freeze { service, millis } => {
                installation.process(service)?.freeze()?;
                self.pass(Duration::from_millis(*millis)).await;
                installation.process(service)?.unfreeze()?;
            }
            Harm::DiskFull { service, millis } => {
                installation.process(service)?.limit_file_size(Some(LARGEST_FILE))?;
                self.pass(Duration::from_millis(*millis)).await;
                installation.process(service)?.limit_file_size(None)?;
            }
            Harm::BadLink { service, kind, millis } => {
                installation.link(service).set(match kind {
                    LinkFault::Swallowing => LinkState::Swallowing,
                    LinkFault::Slow => LinkState::Slow(Duration::from_millis(100)),
                    LinkFault::Cut => LinkState::Cut,
                });
                self.pass(Duration::from_millis(*millis)).await;
                installation.link(service).set(LinkState::Open);
            }
        }
        Ok(self.clock.monotonic())
    }

    /// How long it took until every service said that all its parts are well.
    pub(crate) async fn recovery(
        &self,
        installation: &Installation,
        since: Monotonic,
    ) -> Result<Duration, HarnessError> {
        for name in SERVICES {
            let service = installation.targets().service(name, &LoadSwitch::default());
            let mut health = service.get("/health").await;
            while !health.is_well() {
                if self.clock.monotonic().since(since) > LONGEST_RECOVERY {
                    let (seconds, log) = (LONGEST_RECOVERY.as_secs(), installation.process(name)?.log());
                    let log = log.borrow().clone();
                    return Err(HarnessError(format!(
                        "the {name} service is not well {seconds} s after a fault: {health:?}\n{log}"
                    )));
                }
                self.pass(LOOK_EVERY).await;
                health = service.get("/health").await;
            }
        }
        Ok(self.clock.monotonic().since(since))
    }

    /// Every write-ahead log of the service.
    fn tear(&mut self, installation: &Installation, service: &str) -> Result<(), HarnessError> {
        let unable = HarnessError::during;
        let files = std::fs::read_dir(installation.data(service)).map_err(unable("the data directory"))?;
        for file in files {
            let path = file.map_err(unable("the data directory"))?.path();
            if path.to_string_lossy().ends_with("-wal") {
                tear_tail(&path, &mut self.chance).map_err(unable("tearing a write-ahead log"))?;
            }
        }
        Ok(())
    }

    async fn pass(&self, span: Duration) {
        self.clock.sleep_until(self.clock.monotonic().after(span)).await;
    }
}
