//! The robot service. Players command their robots through the game service; here they see what happens.
//! What only services may call is not offered.

use crate::client::Client;

pub type RobotClient = Client<RobotService>;

/// The service that a `RobotClient` talks to.
#[derive(Clone)]
pub enum RobotService {}
