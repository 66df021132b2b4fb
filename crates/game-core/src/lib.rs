//! Rules of games and rounds: plain functions, no I/O, no clock.
