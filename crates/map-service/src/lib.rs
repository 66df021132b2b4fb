//! The map service: gameworlds, planets, minings.
