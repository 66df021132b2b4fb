//! Writes everything in the repository that is generated from the code: `contract/`, `docs/errors.md` and `docs/flags.md`.
//! Run it after a change of an endpoint, a type, a problem code or a flag: `cargo run -p starkeep --example write-contract`.

use std::path::Path;

use starkeep::flags_markdown;
use starkeep_game_service::GameService;
use starkeep_map_service::MapService;
use starkeep_platform::http::docs::errors_markdown;
use starkeep_platform::http::documents::{channels_text, contract_text};
use starkeep_robot_service::RobotService;
use starkeep_trading_service::TradingService;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir_all(root.join("contract"))?;
    std::fs::write(root.join("contract/game.openapi.json"), contract_text(&GameService::contract()))?;
    std::fs::write(root.join("contract/map.openapi.json"), contract_text(&MapService::contract()))?;
    std::fs::write(root.join("contract/robot.openapi.json"), contract_text(&RobotService::contract()))?;
    std::fs::write(root.join("contract/trading.openapi.json"), contract_text(&TradingService::contract()))?;
    std::fs::write(root.join("contract/events.asyncapi.json"), channels_text())?;
    std::fs::write(root.join("docs/flags.md"), flags_markdown())?;
    std::fs::write(root.join("docs/errors.md"), errors_markdown())
}
