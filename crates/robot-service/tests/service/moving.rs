//! moving
