//! crashes
