//! Stored changes, as replicas read them from the change log: one that can be read is written as it was read, always in the same
//! way; all others are refused with a reason.

use std::marker::PhantomData;

use starkeep_platform::domain::{ChangeCodec, UnreadableChange};

use crate::target::{Subject, Verdict};

pub(super) struct Changes<D>(PhantomData<D>);

impl<D> Changes<D> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<D: ChangeCodec> Subject for Changes<D> {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let change = match D::decode(input) {
            Ok(change) => change,
            Err(UnreadableChange(reason)) if reason.is_empty() => {
                return Err("it is refused without a reason".to_owned());
            }
            // Where in the text it is, and what stands there, makes no difference.
            Err(UnreadableChange(reason)) => {
                return Ok(reason.split('`').step_by(2).collect::<String>().replace(char::is_numeric, ""));
            }
        };
        let written = D::encode(&change);
        let read = D::decode(&written).map_err(|fault| format!("what it writes itself: {fault}"))?;
        if read != change {
            return Err(format!("{change:?} becomes {read:?} by being written and read"));
        }
        let kind = format!("{change:?}");
        Ok(kind.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_owned())
    }
}
