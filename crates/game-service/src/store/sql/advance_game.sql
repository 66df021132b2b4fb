UPDATE game SET
    max_rounds = ?2, round_length_millis = ?3, timer_since_nanos = ?4, round_number = ?5, round_id = ?6,
    current_round_length_millis = ?7, round_begins_seconds = ?8, round_begins_nanos = ?9, phase = ?10,
    timer_from_seconds = ?11, timer_from_nanos = ?12, paused = ?13, phase_ends_seconds = ?14, phase_ends_nanos = ?15,
    pace = ?16, countdown = ?17, replenished_after = ?18
WHERE id = ?1 AND status = 'running'
