//! The game service by its promises: over HTTP, on real files, with a map in memory and a clock that is moved by hand.
//! Each module is one family of promises; no test depends on another, and none ever waits for time to pass.

mod asking;
mod batches;
mod chance;
mod changing;
mod common_routes;
mod crashes;
mod creating;
mod deleting;
mod dialects;
mod ending;
mod fake_map;
mod faulty_store;
mod freezing;
mod harness;
mod host_token;
mod idempotency;
mod legal_history;
mod log;
mod many_rounds;
mod map_trouble;
mod map_watch;
mod paging;
mod pausing;
mod players;
mod refusals;
mod restarts;
mod retirements;
mod robot_news;
mod rounds;
mod showing;
mod starting;
mod store_bounds;
mod time;
mod turbo;
mod upgrade;
