//! One core for this thread and for all that it starts: where a reader and its server keep waking each other, what is measured
//! on two is mostly whether the operating system has put both on one.
//! Only Linux is asked for it; elsewhere such figures swing.

use crate::failure::Failure;

/// Held as long as nothing else is wanted; processes that were started meanwhile stay on the core.
pub(crate) struct OneCore {
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

#[cfg(target_os = "linux")]
impl OneCore {
    pub(crate) fn hold() -> Result<Self, Failure> {
        use crate::failure::During as _;
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        let before = sched_getaffinity(None).during("asking for the cores")?;
        let first = (0..CpuSet::MAX_CPU).find(|core| before.is_set(*core));
        let mut one = CpuSet::new();
        one.set(first.ok_or_else(|| Failure::new("there is no core"))?);
        sched_setaffinity(None, &one).during("taking one core")?;
        Ok(Self { before })
    }
}

#[cfg(target_os = "linux")]
impl Drop for OneCore {
    fn drop(&mut self) {
        // It has worked before, with fewer.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

#[cfg(not(target_os = "linux"))]
impl OneCore {
    pub(crate) fn hold() -> Result<Self, Failure> {
        Ok(Self {})
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_on_one_core_while_it_holds_it_and_on_all_again_afterwards() {
        let cores = || rustix::thread::sched_getaffinity(None).unwrap().count();
        let all = cores();
        let held = OneCore::hold().unwrap();
        assert_eq!(cores(), 1);
        drop(held);
        assert_eq!(cores(), all);
    }
}
