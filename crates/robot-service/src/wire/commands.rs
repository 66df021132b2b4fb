//! Command strings: a verb, the ids that it needs, and the transaction. All of a batch have the same verb.
//! One that cannot be read refuses the whole batch, in the words of the existing service.

use starkeep_contract::Problem;
use starkeep_robot_core::{Attack, CommandId, MiningOrder, Move, PlanetId, Regeneration, RobotId};
use uuid::Uuid;

use super::not_accepted;

/// A command of any verb.
pub(crate) enum Command {
    Move(Move),
    Fight(Attack),
    Mine(MiningOrder),
    Regenerate(Regeneration),
}

/// The commands in their order; all have the same verb.
pub(crate) fn read(texts: &[String]) -> Result<Vec<Command>, Problem> {
    let commands = texts.iter().map(|text| command(text)).collect::<Result<Vec<_>, _>>()?;
    let is_other =
        |command: &Command| std::mem::discriminant(command) != std::mem::discriminant(&commands[0]);
    if commands.iter().any(is_other) {
        return Err(not_accepted("Command batches need to be homogeneous."));
    }
    Ok(commands)
}

fn command(text: &str) -> Result<Command, Problem> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let unreadable = |reason: &str| {
        not_accepted(format!(
            "The command '{text}' could not be parsed. Please check for correct syntax. Further information: {reason}"
        ))
    };
    let id = |word: &str| Uuid::try_parse(word).map_err(|_| unreadable("Invalid UUID string"));
    Ok(match words[..] {
        ["move", robot, target, transaction] => Command::Move(Move {
            robot: RobotId(id(robot)?),
            target: PlanetId(id(target)?),
            command: CommandId(id(transaction)?),
        }),
        ["fight", attacker, target, transaction] => Command::Fight(Attack {
            attacker: RobotId(id(attacker)?),
            target: RobotId(id(target)?),
            command: CommandId(id(transaction)?),
        }),
        ["mine", robot, transaction] => {
            Command::Mine(MiningOrder { robot: RobotId(id(robot)?), command: CommandId(id(transaction)?) })
        }
        ["regenerate", robot, transaction] => Command::Regenerate(Regeneration {
            robot: RobotId(id(robot)?),
            command: CommandId(id(transaction)?),
        }),
        _ => return Err(unreadable("")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "5eed0000-0000-4000-8000-000000000001";

    fn refusal(texts: &[&str]) -> String {
        let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
        let Err(problem) = read(&texts) else { panic!("{texts:?} was taken") };
        assert_eq!(problem.status, 400);
        problem.detail
    }

    #[test]
    fn every_verb_is_read_whatever_its_case() {
        let texts = [
            format!("move {ID} {ID} {ID}"),
            format!("FIGHT {ID}  {ID} {}", ID.to_uppercase()),
            format!(" Mine {ID} {ID} "),
            format!("regenerate {ID}\t{ID}"),
        ];
        for text in texts {
            assert_eq!(read(&[text.clone(), text]).map(|commands| commands.len()).ok(), Some(2));
        }
        assert_eq!(read(&[]).map(|commands| commands.len()).ok(), Some(0));
    }

    #[test]
    fn what_cannot_be_read_is_said_as_the_original_says_it() {
        let (mine, regenerate) = (format!("mine {ID} {ID}"), format!("regenerate {ID} {ID}"));
        assert_eq!(refusal(&[&mine, &regenerate]), "Command batches need to be homogeneous.");
        for bad in [String::new(), "block".to_owned(), format!("mine {ID}"), format!("move {ID} {ID}")] {
            assert_eq!(
                refusal(&[&bad]),
                format!(
                    "The command '{bad}' could not be parsed. Please check for correct syntax. Further information: "
                )
            );
        }
        assert!(refusal(&[&format!("mine r2 {ID}")]).ends_with("Further information: Invalid UUID string"));
    }
}
