//! Where something else comes out than what was recorded of the existing services, and why.
//! A row is the step, where among its outputs it differs, and what stands there instead: JSON in the recorded ids, or nothing.

type Row = (&'static str, &'static str, &'static str);

pub(crate) const DIFFERENCES: &[(&str, &[Row])] = &[];
