"""Plays the README's game with Python clients that openapi-python-client generates from the contracts of the game and the map service.
Run by scripts/conformance, which generates them first: PYTHONPATH=target/python-clients play.py ADDRESS [ADMIN TOKEN]"""

import random
import sys

from starkeep_game import AuthenticatedClient, Client
from starkeep_game.api.commands import end_game, get_command, list_commands, pause_game, send_command, start_game, step_game
from starkeep_game.api.games import create_game, get_game, get_game_time, get_scoreboard, get_view
from starkeep_game.api.players import join_game, register_player
from starkeep_game.api.service import get_services
from starkeep_game.models import CommandDetails, CommandRequest, CommandState, CommandType, CreateGame, GameStatus, Phase, RegisterPlayer
from starkeep_map import Client as MapClient
from starkeep_map.api.open_ import get_planet
from starkeep_map.models import ResourceType

ADDRESS, ADMIN_TOKEN = (sys.argv[1:] + [""])[:2]


def client_of(token):
    if not token:
        return Client(ADDRESS, raise_on_unexpected_status=True)
    return AuthenticatedClient(ADDRESS, token=str(token), raise_on_unexpected_status=True)


def call(operation, status, *arguments, **named):
    """What the operation answers; anything but the expected status ends the game."""
    answer = operation.sync_detailed(*arguments, **named)
    if answer.status_code != status:
        sys.exit(f"{operation.__name__}: {answer.status_code} instead of {status}: {answer.content.decode()}")
    return answer.parsed


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found} instead of {expected}")


class Player:
    def __init__(self, name):
        name = f"{name}-{random.randrange(10**9)}"
        registered = call(register_player, 201, client=host, body=RegisterPlayer(name=name, email=f"{name}@example.org"))
        self.id, self.token = registered.player_id, registered.bearer_token
        self.client = client_of(self.token)
        call(join_game, 200, game_id, self.token, client=host)

    def order(self, command_type, robot=None, **details):
        request = CommandRequest(game_id=game_id, player_token=self.token, command_type=command_type)
        if robot:
            request.robot_id = robot
        if details:
            request.command_object = CommandDetails(**details)
        return call(send_command, 201, client=self.client, body=request).transaction_id

    def view(self):
        return call(get_view, 200, game_id, client=self.client)


def step(*transactions):
    """Ends the round, and looks what became of its commands."""
    call(step_game, 201, game_id, client=host)
    for transaction in transactions:
        receipt = call(get_command, 200, transaction, client=host)
        expect("the command's state", receipt.state, CommandState.DISPATCHED)


# 1. A game for two, and where its map is.
host = client_of(ADMIN_TOKEN)
game_id = call(create_game, 201, client=host, body=CreateGame(max_rounds=20, max_players=2, seed=8)).game_id
map_client = MapClient(call(get_services, 200, client=host).map_)

# 2. Ada and Bob register and join.
ada, bob = Player("ada"), Player("bob")

# 3. Start it and stop its clock: from now on a round lasts until the next step.
call(start_game, 201, game_id, client=host)
call(pause_game, 201, game_id, client=host)
time = call(get_game_time, 200, game_id, client=host)
expect("round, phase and pause", (time.round_count, time.phase, time.paused), (1, Phase.COLLECTION, True))

# 4. Round 1: both buy a robot.
bought = [player.order(CommandType.BUYING, item_name="ROBOT", item_quantity=1) for player in (ada, bob)]
step(*bought)
commands = call(list_commands, 200, client=host, game_id=game_id, round_number=1)
expect("the commands of round 1", [command.transaction_id for command in commands.commands], bought)
view = ada.view()
expect("Ada's robots", len(view.robots), 1)
robot, station = view.robots[0].id, view.planets[0]
neighbours = [call(get_planet, 200, neighbour.planet_id, client=map_client) for neighbour in station.neighbours]
coal = next(planet for planet in neighbours if planet.resource and planet.resource.resource_type == ResourceType.COAL)

# 5. Rounds 2 to 5: to the coal beside the station, mine, back to the station, sell.
money = view.money
step(ada.order(CommandType.MOVEMENT, robot, planet_id=str(coal.id)))
step(ada.order(CommandType.MINING, robot))
mined = ada.view().robots[0].inventory.stored_coal
step(ada.order(CommandType.MOVEMENT, robot, planet_id=str(station.id)))
price = ada.view().prices.coal
step(ada.order(CommandType.SELLING, robot, planet_id=str(station.id)))
expect("something was mined", mined > 0, True)
expect("Ada's money", ada.view().money, money + mined * price)
expect("the round", call(get_game_time, 200, game_id, client=host).round_count, 6)
leader = call(get_scoreboard, 200, game_id, client=host)[0]
expect("who leads", leader.player_id, ada.id)
call(end_game, 201, game_id, client=host)
expect("the game", call(get_game, 200, game_id, client=host).game_status, GameStatus.ENDED)
print(f"Ada has mined {mined} coal and sold it for {mined * price}.")
