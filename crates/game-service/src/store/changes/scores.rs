//! Standings and results of commands in the serialised form of changes.
//! Amounts of resources are in the order coal, iron, gem, gold, platin.

use serde::{Deserialize, Serialize};
use starkeep_game_core::{Amounts, CommandId, GameId, PlayerId, RobotId, Standing, TrackedRobot};
use uuid::Uuid;

use crate::domain::{CommandResult, RecordedNews};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewsForm {
    position: Option<(String, String)>,
    begun: Vec<(Uuid, u32)>,
    standings: Vec<(Uuid, ScoreForm)>,
    robots: Vec<(Uuid, Uuid, Option<RobotForm>)>,
    results: Vec<ResultForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScoreForm {
    player: Uuid,
    money: Option<u64>,
    robots_alive: u32,
    mined: [u64; 5],
    fights_won: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RobotForm {
    owner: Uuid,
    cargo: [u64; 5],
    last_hit_by: Option<Uuid>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultForm {
    command: Uuid,
    channel: String,
    r#type: String,
    payload: String,
}

impl ScoreForm {
    pub(super) fn of(player: PlayerId, standing: Standing) -> Self {
        let Standing { money, robots_alive, mined, fights_won } = standing;
        Self { player: player.0, money, robots_alive, mined: numbers(mined), fights_won }
    }

    pub(super) fn read(self) -> (PlayerId, Standing) {
        let Self { player, money, robots_alive, mined, fights_won } = self;
        (PlayerId(player), Standing { money, robots_alive, mined: Amounts::new(mined), fights_won })
    }
}

impl From<&RecordedNews> for NewsForm {
    fn from(news: &RecordedNews) -> Self {
        let standings = news.standings.iter();
        let robot = |robot: TrackedRobot| RobotForm {
            owner: robot.owner.0,
            cargo: numbers(robot.cargo),
            last_hit_by: robot.last_hit_by.map(|player| player.0),
        };
        Self {
            position: news.position.clone(),
            begun: news.begun.iter().map(|(game, round)| (game.0, *round)).collect(),
            standings: standings
                .map(|(game, player, standing)| (game.0, ScoreForm::of(*player, *standing)))
                .collect(),
            robots: news
                .robots
                .iter()
                .map(|(game, id, tracked)| (game.0, id.0, tracked.map(robot)))
                .collect(),
            results: news.results.iter().map(Into::into).collect(),
        }
    }
}

impl From<NewsForm> for RecordedNews {
    fn from(form: NewsForm) -> Self {
        let standing = |(game, score): (Uuid, ScoreForm)| {
            let (player, standing) = score.read();
            (GameId(game), player, standing)
        };
        let tracked = |form: RobotForm| TrackedRobot {
            owner: PlayerId(form.owner),
            cargo: Amounts::new(form.cargo),
            last_hit_by: form.last_hit_by.map(PlayerId),
        };
        let robots = form.robots.into_iter();
        Self {
            position: form.position,
            begun: form.begun.into_iter().map(|(game, round)| (GameId(game), round)).collect(),
            standings: form.standings.into_iter().map(standing).collect(),
            robots: robots.map(|(game, id, form)| (GameId(game), RobotId(id), form.map(tracked))).collect(),
            results: form.results.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<&CommandResult> for ResultForm {
    fn from(result: &CommandResult) -> Self {
        let CommandResult { command, channel, event_type, payload } = result.clone();
        Self { command: command.0, channel, r#type: event_type, payload }
    }
}

impl From<ResultForm> for CommandResult {
    fn from(ResultForm { command, channel, r#type, payload }: ResultForm) -> Self {
        Self { command: CommandId(command), channel, event_type: r#type, payload }
    }
}

fn numbers(amounts: Amounts) -> [u64; 5] {
    amounts.each().map(|(_, amount)| amount)
}
