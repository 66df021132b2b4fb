//! The database itself refuses what no rule could have made: each bound is broken once, by hand.
//! The rules that keep them are not asked.

use crate::harness::TestMap;

#[tokio::test]
async fn no_row_can_leave_its_bounds() {
    let map = TestMap::new().await;
    let world = map.world().await;
    map.deactivate(&map.world().await).await;
    let database = map.database();
    database.pragma_update(None, "foreign_keys", true).unwrap();
    let unhex = world.replace('-', "");
    let station: i64 = database
        .query_row("SELECT slot FROM planet WHERE kind = 'spacestation' LIMIT 1", [], |row| row.get(0))
        .unwrap();
    let taken: i64 = database.query_row("SELECT slot FROM deposit LIMIT 1", [], |row| row.get(0)).unwrap();
    let lay = |slot: i64| {
        format!(
            "INSERT INTO deposit SELECT world_id, {slot}, randomblob(16), kind, max_amount, current_amount,
             created_at_millis, updated_at_millis FROM deposit WHERE world_id = x'{unhex}' LIMIT 1"
        )
    };
    let broken = [
        "UPDATE world SET id = x'00'",
        "UPDATE world SET status = 'paused'",
        "UPDATE world SET player_amount = 0",
        "UPDATE world SET player_amount = 10001",
        "UPDATE world SET player_amount = 'two'",
        "UPDATE world SET round_amount = -1",
        "UPDATE world SET round_amount = 1000001",
        "UPDATE world SET seed = -1",
        "UPDATE world SET seed = 9007199254740992",
        "UPDATE world SET style = ''",
        "UPDATE world SET generator_version = 0",
        "UPDATE world SET side = 0",
        "UPDATE world SET random_state = NULL",
        "UPDATE planet SET id = x'00'",
        "UPDATE planet SET id = (SELECT id FROM planet LIMIT 1)",
        "UPDATE planet SET slot = -1",
        "UPDATE planet SET x = -1",
        "UPDATE planet SET y = 1000",
        "UPDATE planet SET kind = 'moon'",
        "DELETE FROM planet",
        "DELETE FROM world",
        "UPDATE deposit SET id = (SELECT id FROM deposit LIMIT 1)",
        "UPDATE deposit SET kind = 'iridium'",
        "UPDATE deposit SET current_amount = -1",
        "UPDATE deposit SET current_amount = max_amount + 1",
        "UPDATE deposit SET max_amount = 0, current_amount = 0",
        "UPDATE deposit SET slot = 1000000",
        "UPDATE book SET initial = -1",
        "UPDATE book SET replenished = -1",
        "UPDATE book SET mined = -1",
        "UPDATE book SET mined = initial + replenished + 1",
        "UPDATE book SET kind = 'iridium'",
        "INSERT INTO book VALUES (randomblob(16), 'coal', 0, 0, 0)",
        "INSERT INTO withdrawn_world VALUES (x'00', 0)",
        &lay(taken),
        &lay(station),
        &lay(1_000_000),
    ];
    for sql in broken {
        let refusal = database.execute(sql, []).expect_err(sql);
        let code = refusal.sqlite_error_code();
        assert_eq!(code, Some(rusqlite::ErrorCode::ConstraintViolation), "{sql}: {refusal}");
    }
    // What is allowed is not refused by mistake.
    for sql in ["UPDATE deposit SET current_amount = 0", "UPDATE book SET mined = initial"] {
        assert!(database.execute(sql, []).unwrap() > 0);
    }
}
