INSERT INTO game (
    id, status, max_rounds, max_players, round_length_millis, joined, seed, style, world_id, replaced_world_id,
    created_at_millis, started_at_millis, ended_at_millis, slot, start_world_id, timer_since_nanos, round_number, round_id,
    current_round_length_millis, round_begins_seconds, round_begins_nanos, phase,
    game_time_seconds, game_time_nanos, round_time_seconds, round_time_nanos,
    timer_from_seconds, timer_from_nanos, paused, phase_ends_seconds, phase_ends_nanos, pace, countdown,
    start_money, drawn_seed, nonce, world_is_given, replenishment, replenished_after, name)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
    ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, max_rounds = excluded.max_rounds, round_length_millis = excluded.round_length_millis,
    joined = game.joined + ?41, world_id = excluded.world_id, replaced_world_id = excluded.replaced_world_id,
    started_at_millis = excluded.started_at_millis, ended_at_millis = excluded.ended_at_millis, slot = excluded.slot,
    start_world_id = excluded.start_world_id, timer_since_nanos = excluded.timer_since_nanos,
    round_number = excluded.round_number, round_id = excluded.round_id,
    current_round_length_millis = excluded.current_round_length_millis,
    round_begins_seconds = excluded.round_begins_seconds, round_begins_nanos = excluded.round_begins_nanos,
    phase = excluded.phase, game_time_seconds = excluded.game_time_seconds, game_time_nanos = excluded.game_time_nanos,
    round_time_seconds = excluded.round_time_seconds, round_time_nanos = excluded.round_time_nanos,
    timer_from_seconds = excluded.timer_from_seconds, timer_from_nanos = excluded.timer_from_nanos,
    paused = excluded.paused, phase_ends_seconds = excluded.phase_ends_seconds,
    phase_ends_nanos = excluded.phase_ends_nanos, pace = excluded.pace, countdown = excluded.countdown,
    replenishment = excluded.replenishment, replenished_after = excluded.replenished_after
