#!/usr/bin/env python3
"""A first bot: each round it looks at its robots, mines coal, sells it, and buys more robots.

usage: first_bot.py [GAME_ID]     without an id: the newest game that has not started, or the next one
STARKEEP_GAME_URL is the address of the game service, http://127.0.0.1:8080 if it is not set.
"""
import json, os, sys, time, urllib.request, uuid

GAME_URL = os.environ.get("STARKEEP_GAME_URL", "http://127.0.0.1:8080")
# The planets that the robots have seen, by their ids, and the ids of the last round's commands.
HEADERS, KNOWN, SENT = {"Content-Type": "application/json"}, {}, []


def call(method, path, body=None):
    """One request. A refusal is shown; without an answer it is sent again, which the key makes safe."""
    headers = HEADERS | {"Idempotency-Key": str(uuid.uuid4())}
    request = urllib.request.Request(GAME_URL + path, body and json.dumps(body).encode(), headers, method=method)
    while True:
        try:
            return json.load(urllib.request.urlopen(request, timeout=30))
        except OSError as error:
            print(f"{method} {path}: {error}", error.read().decode() if hasattr(error, "read") else "")
            if getattr(error, "code", 500) < 500:
                return {}
            time.sleep(1)


def join(game=None):
    """Registers a new player and joins. The token is the player's secret: whoever shows it is the player."""
    name = f"bot-{uuid.uuid4().hex[:8]}"
    player = call("POST", "/players", {"name": name, "email": f"{name}@example.org"})
    HEADERS["Authorization"] = f"Bearer {player['bearerToken']}"
    while not game:  # The newest one comes first.
        game = next((game["gameId"] for game in call("GET", "/games?status=created")), None) or time.sleep(1)
    call("PUT", f"/games/{game}/players/{player['playerId']}")
    return game, player["playerId"]


def next_planet(start, goal):
    """The first step of the shortest way to a planet that offers it, or that no robot has seen yet."""
    ways = [(start, start)]
    for place, step in ways:
        if not (planet := KNOWN.get(place)) or goal in (planet["planet_type"], (planet["resource"] or {}).get("resource_type")):
            return step
        ways += [(id, id if place == start else step) for near in planet["neighbours"] if (id := near["planet_id"]) not in dict(ways)]


def order(robot):
    """To the coal, mine, to a space station, sell; and regenerate where the energy may not suffice for a move."""
    goal, act = ("spacestation", "selling") if robot["inventory"]["usedStorage"] >= 10 else ("coal", "mining")
    target = next_planet(robot["planet"], goal)
    kind = act if target == robot["planet"] else "movement" if robot["energy"] >= 3 else "regeneration"
    return {"robotId": robot["id"], "commandType": kind, "commandObject": {"planetId": target}}


def turn(game, player):
    """Plays a round: shows what came of the last one, looks, sends commands, and says that it is done."""
    results = [call("GET", f"/commands/{id}").get("result", {}).get("payload", {}).get("message", "?") for id in SENT if id]
    while (view := call("GET", f"/games/{game}/view"))["money"] is None:  # The trading service is on its way.
        time.sleep(0.1)
    print(f"round {view['roundNumber']}, money {view['money']}; results of the last round:", *results, sep="\n  ")
    KNOWN.update((planet["id"], planet) for planet in view["planets"])
    purchase = {"commandType": "buying", "commandObject": {"itemName": "ROBOT", "itemQuantity": 1}}
    commands = [order(robot) for robot in view["robots"]] + [purchase] * (view["money"] >= 100)
    SENT[:] = [call("POST", "/commands", {"gameId": game} | command).get("transactionId") for command in commands]
    call("PUT", f"/games/{game}/players/{player}/ready")
    return view["roundNumber"]


if __name__ == "__main__":
    (game, player), played = join(*sys.argv[1:]), 0
    while (now := call("GET", f"/games/{game}"))["gameStatus"] != "ended":
        if now["currentRoundNumber"] > played:
            played = turn(game, player)
        time.sleep(0.1)
