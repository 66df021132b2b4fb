//! The services that the robot service calls, over HTTP: the map, and the game service.
//! Each implements a port; what is asked when is decided in `app`.

mod game;
mod map;

pub(crate) use self::game::HttpGame;
pub(crate) use self::map::HttpMap;
