#!/usr/bin/env python3
"""A loop for training: plays three games of one seed at turbo pace, and prints what each policy was rewarded with.

usage: train.py [SEED]     the same seed, nonce, players and commands give the same game
first_bot.py must be beside it: it has the address of the game service.
"""
import sys
import time

from first_bot import HEADERS, KNOWN, call, join, next_planet

ROUNDS = 15


class Environment:
    """A game with one player. A step is a round; its reward is by how much the round has changed the score."""

    def __init__(self, seed):
        # At turbo pace a round ends when everybody is ready, at the latest after its length: 20 s. Where worlds are replenished
        # every 60 s, that is after every third round. The nonce decides, with the seed, where exhausted deposits reappear.
        settings = {"maxRounds": ROUNDS, "maxPlayers": 1, "seed": seed, "nonce": f"{seed:032x}", "duration": 20_000}
        HEADERS.pop("Authorization", None)
        self.game = call("POST", "/games", settings)["gameId"]
        call("PATCH", f"/games/{self.game}/pace", {"pace": "turbo"})
        _, self.player = join(self.game)
        HEADERS["Accept"] = "application/json"  # Events as pages, not as a stream.
        self.positions, self.played, self.score = {}, 0, 200
        call("POST", f"/games/{self.game}/gameCommands/start")
        self.wait_for("roundStatus", 1)

    def view(self):
        """What the player sees. What a service that is still on its way would tell is null."""
        while None in (view := call("GET", f"/games/{self.game}/view")).values():
            time.sleep(0.01)
        return view

    def step(self, commands):
        """Plays a round. Returns its number and the reward."""
        played = self.played = self.played + 1
        if commands:
            call("POST", "/commands/batch", [{"gameId": self.game} | command for command in commands])
        call("PUT", f"/games/{self.game}/players/{self.player}/ready")
        standing = self.wait_for("scores", played)["players"][0]
        before, self.score = self.score, standing["money"] + 100 * standing["robotsAlive"]
        if played < ROUNDS:
            self.wait_for("roundStatus", played + 1)
        return played, self.score - before

    def wait_for(self, channel, round_number):
        """The event about the round. The scores of a round may come before or after the start of the next one."""
        while True:
            after = self.positions.get(channel, "start")
            page = call("GET", f"/events?gameId={self.game}&channels={channel}&after={after}&wait=30")
            self.positions[channel] = page["next"]
            for event in page["events"]:
                if event["about"]["roundNumber"] == round_number:
                    self.positions[channel] = event["id"]  # What follows on this page is read again.
                    return event["payload"]


def policy(view, full):
    """Mines until a robot holds `full` units, and then sells them: which number is best is what is to be learned."""
    KNOWN.update((planet["id"], planet) for planet in view["planets"])
    commands = []
    for robot in view["robots"]:
        is_full = robot["inventory"]["usedStorage"] >= full
        target = next_planet(robot["planet"], "spacestation" if is_full else "coal")
        here = "selling" if is_full else "mining"
        kind = here if target == robot["planet"] else "movement" if robot["energy"] >= 3 else "regeneration"
        commands.append({"robotId": robot["id"], "commandType": kind, "commandObject": {"planetId": target}})
    if view["money"] >= 100:
        commands.append({"commandType": "buying", "commandObject": {"itemName": "ROBOT", "itemQuantity": 1}})
    return commands


if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for full in (2, 6, 10):
        KNOWN.clear()
        environment, rewards, played = Environment(seed), [], 0
        while played < ROUNDS:
            played, reward = environment.step(policy(environment.view(), full))
            rewards.append(reward)
        print(f"seed {seed}, sells at {full}: {sum(rewards)} in all, by round: {rewards}")
