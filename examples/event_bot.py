#!/usr/bin/env python3
"""The first bot, woken by events: it follows the game's rounds, and goes on where it was after a lost connection.

usage: event_bot.py [GAME_ID]     without an id: the newest game that has not started, or the next one
first_bot.py must be beside it: it has the address of the game service.
"""
import http.client, json, sys, time, urllib.request

from first_bot import GAME_URL, join, turn


def events(path, position="start"):
    """Every event after the position, in order, none twice and none missing, for as long as somebody asks for the next."""
    while True:
        reason = "the stream has ended"
        try:
            request = urllib.request.Request(GAME_URL + path, headers={"Last-Event-ID": position})
            # A silent stream gets a comment every 15 s: silence for longer means that the connection is dead.
            with urllib.request.urlopen(request, timeout=45) as stream:
                event = {}
                for line in (line.decode().rstrip("\r\n") for line in stream):
                    field, _, value = line.partition(": ")
                    event[field] = value
                    if line == "" and "data" in event:  # An empty line ends an event.
                        yield event["event"], json.loads(event["data"])
                        position, event = event.get("id", position), {}
        except (OSError, http.client.HTTPException) as lost:
            if getattr(lost, "code", 500) < 500:
                sys.exit(f"{path}: {lost.read().decode()}")
            reason = lost
        print(f"no events ({reason}), going on after {position}")
        time.sleep(1)


if __name__ == "__main__":
    game, player = join(*sys.argv[1:])
    played = 0
    for channel, event in events(f"/events?gameId={game}&channels=status,roundStatus"):
        if channel == "gap":
            # The position was of no use, as after a restored backup: what is kept follows, and the rest is looked up.
            print("events are missing:", event["reason"])
        elif channel == "status" and event["payload"]["status"] == "ended":
            break
        elif channel == "roundStatus" and event["payload"]["roundStatus"] == "started":
            # After an outage there are several; the first turn played the newest round already.
            if event["payload"]["roundNumber"] > played:
                played = turn(game, player)
