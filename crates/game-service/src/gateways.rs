//! The services that the game service calls, over HTTP: the map, and the executors that carry commands out.
//! Each implements a port; what is sent when is decided in `app` and `tasks`.

mod executor;
mod map;
mod player_view;
mod records;
mod robot_directory;
mod service_callers;
mod service_token;

pub use self::executor::HttpExecutor;
pub use self::map::HttpMap;
pub use self::player_view::HttpLookups;
pub use self::records::HttpRecords;
pub use self::robot_directory::HttpRobotDirectory;
pub use self::service_callers::ServiceCallers;
pub use self::service_token::ServiceToken;
