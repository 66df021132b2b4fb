// What a record looks like to somebody who watches the world: moves, minings, fights, deaths, new robots, replenishments.
// A record that changes nothing to be seen has no effect.

import { kindName } from './kinds.js';
import * as operation from './operations.js';

/**
 * @typedef {{kind: 'move'|'mine'|'fight'|'death'|'spawn'|'replenish', round: number, robot?: string, player?: string,
 *   target?: string, targetPlayer?: string, from?: string, to?: string, planet?: string, amount?: number,
 *   resource?: string}} Effect
 */

/**
 * @param {object} names `planets`, `robotIds`, `robotPlayers`, `players` of the log
 * @param {(robot: number) => number} planetOf where a robot is before the record, or -1
 * @returns {Effect|null}
 */
export function effectOf(names, planetOf, round, code, a, b, c, d) {
  const planetId = (index) => names.planets[index]?.id;
  const ofRobot = (robot) => ({ robot: names.robotIds[robot], player: names.players[names.robotPlayers[robot]]?.playerId });
  switch (code) {
    case operation.BOUGHT:
      return b < 0 ? null : { kind: 'spawn', round, ...ofRobot(a), planet: planetId(b) };
    case operation.MOVED: {
      const from = planetOf(a);
      if (from === b) return null;
      return { kind: 'move', round, ...ofRobot(a), from: planetId(from), to: planetId(b) };
    }
    case operation.FOUGHT: {
      const target = ofRobot(b);
      const planet = planetId(planetOf(a)) ?? planetId(planetOf(b));
      return { kind: 'fight', round, ...ofRobot(a), target: target.robot, targetPlayer: target.player, planet };
    }
    case operation.DESTROYED_ROBOT:
      return { kind: 'death', round, ...ofRobot(a), planet: planetId(planetOf(a)) };
    case operation.DEPOSIT_MINED: {
      const robot = (d >> 3) - 1;
      const miner = robot < 0 ? {} : ofRobot(robot);
      return { kind: 'mine', round, ...miner, planet: planetId(a), amount: c, resource: kindName(d & 7) };
    }
    case operation.REPLENISHED:
      return { kind: 'replenish', round, planet: planetId(a), resource: kindName(b) };
    default:
      return null;
  }
}
