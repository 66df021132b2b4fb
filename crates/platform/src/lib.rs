//! Machinery that knows envelopes and never a payload.
