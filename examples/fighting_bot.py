#!/usr/bin/env python3
"""The first bot, which fights as well: a robot that meets one of another player attacks it until it is gone.

usage: fighting_bot.py [GAME_ID]     without an id: the newest game that has not started, or the next one
first_bot.py must be beside it: it has the address of the game service.
"""
import sys, time

from first_bot import KNOWN, call, join, order

# The robots that one of ours has met, by planet, and the last round's commands, by the ids of their receipts.
MET, SENT = {}, {}


def look():
    """Reads what came of the last round's commands. The ids of other robots are in the results of movements."""
    for id, command in SENT.items():
        result = call("GET", f"/commands/{id}").get("result", {}).get("payload", {})
        if planet := result.get("planet"):
            # The robot has moved: these are all robots on the planet that it reached, itself included.
            MET[planet["planetId"]] = set(result["robots"])
        if target := command["commandObject"].get("targetId"):
            health = result.get("remainingDefenderHealth")
            print(f"attack on {target}: {result.get('message')}, health {health}")
            if not result.get("success") or health <= 0:
                # It has left, or it is destroyed.
                for robots in MET.values():
                    robots.discard(target)


def attack(robot, own):
    """An attack on a robot that was met on this planet, if there is one and the energy suffices."""
    targets = sorted(MET.get(robot["planet"], set()) - own)
    if targets and robot["energy"] > robot["damageLevel"]:
        return {"robotId": robot["id"], "commandType": "battle", "commandObject": {"targetId": targets[0]}}


def turn(game, player):
    """Plays a round: robots that have met somebody fight, all others do what the first bot's do."""
    look()
    while (view := call("GET", f"/games/{game}/view"))["money"] is None:
        time.sleep(0.1)
    KNOWN.update((planet["id"], planet) for planet in view["planets"])
    own = {robot["id"] for robot in view["robots"]}
    commands = [attack(robot, own) or order(robot) for robot in view["robots"]]
    if view["money"] >= 100:
        commands.append({"commandType": "buying", "commandObject": {"itemName": "ROBOT", "itemQuantity": 1}})
    SENT.clear()
    for command in commands:
        if id := call("POST", "/commands", {"gameId": game} | command).get("transactionId"):
            SENT[id] = command
    call("PUT", f"/games/{game}/players/{player}/ready")
    return view["roundNumber"]


if __name__ == "__main__":
    (game, player), played = join(*sys.argv[1:]), 0
    while (now := call("GET", f"/games/{game}"))["gameStatus"] != "ended":
        if now["currentRoundNumber"] > played:
            played = turn(game, player)
        time.sleep(0.1)
