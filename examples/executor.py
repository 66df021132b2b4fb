#!/usr/bin/env python3
"""A small robot service of your own, for `starkeep serve --robot-url`. Python's standard library only.

Its rules are its own: a robot walks to any planet, and every mining brings two coal. What it has to do for the game service and the
trading service is explained in docs/write-an-executor.md. Everything that it carries out is one line in a journal, which is on the
disk before the answer is sent. So it carries a command out once, however often it comes, also after a crash: `executesOnce`.
"""
import argparse
import copy
import json
import os
import re
import threading
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

# The channel on which the result of a command is told, by the command's verb, and the number of ids that come after the verb.
RESULTS = {"move": ("movement", 3), "mine": ("mining", 2), "fight": ("fighting", 3), "regenerate": ("regeneration", 2)}
MINED = 2
# The game service gives a stream up that is silent for 45 seconds.
KEEP_ALIVE_SECONDS = 10


class Refused(Exception):
    """The request cannot be read: it is answered with 400, and nothing was carried out."""


class Robots:
    """All robots, and the log of events. The journal has one line for each request that changed something."""

    def __init__(self, journal):
        self.changed = threading.Condition()
        self.robots, self.events, self.answers = {}, [], {}
        self.journal = open(journal, "a+b")
        self.journal.seek(0)
        lines = self.journal.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            # The program was killed while it wrote this line, so it was never answered.
            self.journal.truncate(sum(len(line) for line in lines[:-1]))
            lines.pop()
        if not lines:
            lines = [json.dumps({"epoch": uuid.uuid4().hex[:16]}).encode() + b"\n"]
            self.write(lines[0])
        self.epoch = json.loads(lines[0])["epoch"]
        for line in lines[1:]:
            self.absorb(json.loads(line))

    def write(self, line):
        self.journal.write(line)
        self.journal.flush()
        os.fsync(self.journal.fileno())

    def absorb(self, change):
        self.robots.update({robot["id"]: robot for robot in change["robots"]})
        self.events += change["events"]
        self.answers.update(change["answers"])

    def commit(self, robots, events, answers):
        change = {"robots": list(robots.values()), "events": events, "answers": answers}
        self.write(json.dumps(change).encode() + b"\n")
        self.absorb(change)
        self.changed.notify_all()

    def position(self, number):
        """After this many events. The same form as in Starkeep's logs, so that positions can be compared."""
        piece = self.events[number - 1]["headers"]["eventId"][:8] if number else "0" * 8
        return f"{self.epoch}-{number}-{piece}"

    def number(self, position):
        """Of a position. One that is not of this log begins at the start."""
        match = re.fullmatch(r"([0-9a-f]{16})-(\d+)-[0-9a-f]{8}", position)
        is_ours = match and match[1] == self.epoch and int(match[2]) <= len(self.events)
        return int(match[2]) if is_ours else 0

    def take_batch(self, commands, game, round_number):
        """Carries a batch of the game service out; the position after it."""
        commands = [read(command) for command in commands]
        with self.changed:
            robots, events = {}, []
            # What was carried out before is not carried out again.
            new = [command for command in commands if command[2] not in self.answers]
            for verb, ids, transaction in new:
                robot = robots.get(ids[0]) or self.robots.get(ids[0])
                if robot is not None:
                    robot = robots[ids[0]] = copy.deepcopy(robot)
                payload = carry_out(verb, ids, robot)
                owner = robot and robot["player"]
                events.append(event(RESULTS[verb][0], payload, transaction, game, round_number, owner, ids[0]))
            if new:
                self.commit(robots, events, {transaction: None for _, _, transaction in new})
            return self.position(len(self.events))

    def spawn(self, player, planets, transaction, game, round_number):
        """The trading service has sold robots to the player, one for each planet."""
        with self.changed:
            if transaction not in self.answers:
                robots = [new_robot(player, planet, game) for planet in planets]
                # The game service learns from these events whose robot it is, and of which game.
                events = []
                for robot in robots:
                    payload = {"robotId": robot["id"], "playerId": player, "otherSeeableRobots": []}
                    about = (game, round_number, player, robot["id"])
                    events.append(event("spawn-notification", payload, transaction, *about))
                self.commit({robot["id"]: robot for robot in robots}, events, {transaction: robots})
            return self.answers[transaction]

    def unload(self, robot_id, transaction):
        """The trading service has sold what the robot holds."""
        with self.changed:
            if transaction not in self.answers:
                robot = copy.deepcopy(self.robots[robot_id])
                coal = robot["inventory"]["storedCoal"]
                robot["inventory"].update(usedStorage=0, storedCoal=0)
                held = {"coal": coal, "iron": 0, "gem": 0, "gold": 0, "platin": 0}
                self.commit({robot_id: robot}, [], {transaction: held})
            return self.answers[transaction]


def read(command):
    """A command is a verb and ids; the last one is its transaction."""
    verb, *ids = command.split(" ")
    if verb not in RESULTS or len(ids) != RESULTS[verb][1]:
        raise Refused(f"not a command: {command}")
    return verb, ids[:-1], ids[-1]


def carry_out(verb, ids, robot):
    """The rules. Every command has a result, also one that fails."""
    if robot is None:
        result = {"success": False, "message": "there is no such robot", "remainingEnergy": None}
    else:
        result = {"success": True, "message": "done", "remainingEnergy": robot["energy"]}
    if verb == "move":
        planet = None
        if robot is not None:
            robot["planet"] = ids[1]
            planet = {"planetId": ids[1], "movementDifficulty": 1, "planetType": "DEFAULT", "resourceType": None}
        return result | {"planet": planet, "robots": [ids[0]] if planet else []}
    if verb == "mine":
        held = robot["inventory"] if robot else {"storedCoal": 0}
        if robot is not None:
            held["storedCoal"] += MINED
            held["usedStorage"] += MINED
        return result | {"updatedInventory": held["storedCoal"], "resourceType": "coal"}
    if verb == "fight":
        peace = {"success": False, "message": "nobody fights here"}
        return result | peace | {"attacker": ids[0], "defender": ids[1], "remainingDefenderHealth": None}
    return result


def new_robot(player, planet, game):
    levels = ("health", "damage", "miningSpeed", "mining", "energy", "energyRegen", "storage")
    kinds = ("Coal", "Iron", "Gem", "Gold", "Platin")
    return {
        "id": str(uuid.uuid4()), "player": player, "planet": planet, "alive": True, "game": game,
        "maxHealth": 10, "maxEnergy": 20, "energyRegen": 4, "attackDamage": 1, "miningSpeed": MINED,
        "health": 10, "energy": 20,
        **{f"{name}Level": 0 for name in levels},
        "inventory": {"maxStorage": 1000, "usedStorage": 0, **{f"stored{kind}": 0 for kind in kinds}},
    }


def event(channel, payload, transaction, game, round_number, player, robot):
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    headers = {
        "eventId": str(uuid.uuid4()), "transactionId": transaction, "version": "1", "timestamp": now, "type": channel,
    }
    about = {"gameId": game, "roundNumber": round_number, "playerId": player, "robotId": robot}
    about = {name: value for name, value in about.items() if value is not None}
    return {"channel": channel, "headers": headers, "payload": payload, "about": about}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/health":
            self.answer(200, {"status": "ok", "service": "robot", "executesOnce": True})
        elif url.path == "/events":
            self.stream(self.headers.get("Last-Event-ID") or query.get("after", "start"), query.get("channels"))
        elif url.path == "/robots":
            asked = (query.get("player-id"), query.get("game-id"))
            robots = list(self.server.robots.robots.values())
            self.answer(200, [robot for robot in robots if (robot["player"], robot["game"]) == asked])
        elif (robot := self.server.robots.robots.get(url.path.removeprefix("/robots/"))) is not None:
            self.answer(200, robot, {"Starkeep-Game": robot["game"]})
        else:
            self.answer(404, {"detail": "there is no such robot"})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.take(json.loads(raw or b"null"))
        except (Refused, ValueError, KeyError, TypeError, AttributeError) as fault:
            self.answer(400, {"detail": f"nothing was carried out: {fault!r}"})

    def take(self, body):
        robots = self.server.robots
        game, round_number = self.headers.get("Starkeep-Game"), int(self.headers.get("Starkeep-Round", 0))
        unloading = re.fullmatch("/robots/([^/]+)/inventory/clearResources", self.path)
        if self.path == "/commands":
            position = robots.take_batch(body["commands"], game, round_number)
            self.answer(202, {}, {"Starkeep-Position": position})
        elif self.path == "/robots":
            given = (body["player"], body["planets"], body["transactionId"])
            self.answer(201, robots.spawn(*given, game, round_number))
        elif unloading:
            self.answer(200, robots.unload(unloading[1], self.headers["Idempotency-Key"]))
        else:
            self.answer(404, {"detail": "this robot service has no upgrades"})

    def answer(self, status, body, headers=None):
        raw = json.dumps(body).encode()
        self.send_response(status)
        fixed = {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        for name, value in (fixed | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def stream(self, after, channels):
        """Server-Sent Events: everything after the position, then what comes, until the reader goes away."""
        robots = self.server.robots
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with robots.changed:
            sent = len(robots.events) if after == "end" else robots.number(after)
        try:
            while True:
                with robots.changed:
                    robots.changed.wait_for(lambda: len(robots.events) > sent, KEEP_ALIVE_SECONDS)
                    new = [(robots.position(n + 1), robots.events[n]) for n in range(sent, len(robots.events))]
                for position, told in new:
                    text = f"id: {position}\n"
                    if channels is None or told["channel"] in channels.split(","):
                        text += f"event: {told['channel']}\ndata: {json.dumps(told)}\n"
                    self.wfile.write(f"{text}\n".encode())
                sent += len(new)
                if not new:
                    self.wfile.write(b": still here\n\n")
                self.wfile.flush()
        except OSError:
            pass

    def log_message(self, text, *args):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9082, help="0 takes a free one")
    parser.add_argument("--journal", default="robots.jsonl", help="file in which everything is kept")
    arguments = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.daemon_threads = True
    server.robots = Robots(arguments.journal)
    print(f"robot service listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
