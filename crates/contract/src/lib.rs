//! The wire: requests, answers, events and problems as serde types.
