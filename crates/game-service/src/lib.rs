//! The game service: games, rounds and their time.
