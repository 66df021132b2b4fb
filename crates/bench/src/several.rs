//! Several threads that do the same thing many times: preparing would otherwise wait for one commit after the other.

use std::thread;

use crate::failure::Failure;

/// So many work at once.
pub(crate) const WORKERS: u32 = 32;

/// What came of each, in their order; the first failure of a worker ends it.
pub(crate) fn by_several<T: Send>(
    times: u32,
    once: impl Fn(u32) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let work = |first: u32| -> Result<Vec<(u32, T)>, Failure> {
        (first..times).step_by(WORKERS as usize).map(|number| Ok((number, once(number)?))).collect()
    };
    let work = &work;
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..times.min(WORKERS)).map(|first| scope.spawn(move || work(first))).collect();
        let mut done = Vec::new();
        for worker in workers {
            done.extend(worker.join().map_err(|_| Failure::new("a thread that prepares panicked"))??);
        }
        Ok::<_, Failure>(done)
    })?;
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_stays_in_order() {
        assert_eq!(by_several(100, Ok).unwrap(), (0..100).collect::<Vec<_>>());
        assert_eq!(by_several(0, Ok).unwrap(), Vec::<u32>::new());
    }

    #[test]
    fn a_failure_is_told() {
        let fails = |number| if number == 77 { Err(Failure::new("seventy-seven")) } else { Ok(number) };
        assert_eq!(by_several(100, fails).unwrap_err().to_string(), "seventy-seven");
    }
}
