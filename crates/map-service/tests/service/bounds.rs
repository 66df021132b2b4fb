//! The database itself refuses what no rule could have made: each bound is broken once, by hand.
//! The rules that keep them are not asked.

use starkeep_test_harness::EPOCH;

use crate::harness::TestMap;

#[tokio::test]
async fn no_row_can_leave_its_bounds() {
    let map = TestMap::new().await;
    let world = map.world().await;
    map.deactivate(&map.world().await).await;
    // One is exhausted and appears anew, so there is a row of each form: changed, vacated, appeared.
    let deposits = map.deposits(&world).await;
    map.mine(&deposits[0], 10_000).await;
    map.service().replenisher().step(EPOCH).await.unwrap();
    map.mine(&deposits[1], 1).await;
    let database = map.database();
    database.pragma_update(None, "foreign_keys", true).unwrap();
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
        "UPDATE world SET nonce = 'short'",
        "UPDATE world SET replenishment = 'never'",
        "UPDATE world SET random_state = NULL",
        "DELETE FROM world",
        "UPDATE world_layout SET stations = x'00'",
        "UPDATE world_layout SET layout = NULL",
        "UPDATE world_layout SET world_id = randomblob(16)",
        "UPDATE deposit SET id = x'00'",
        "UPDATE deposit SET slot = -1",
        "UPDATE deposit SET world_id = x'00'",
        "UPDATE deposit SET kind = 'iridium' WHERE kind IS NOT NULL",
        "UPDATE deposit SET current_amount = -1 WHERE kind IS NOT NULL",
        "UPDATE deposit SET current_amount = max_amount + 1 WHERE kind IS NOT NULL",
        "UPDATE deposit SET max_amount = 0, current_amount = 0 WHERE kind IS NOT NULL",
        "UPDATE deposit SET added = 0 WHERE kind IS NOT NULL",
        "UPDATE deposit SET max_amount = NULL WHERE kind IS NOT NULL",
        "UPDATE deposit SET current_amount = NULL WHERE kind IS NOT NULL",
        "UPDATE deposit SET created_at_millis = NULL WHERE kind IS NOT NULL",
        "UPDATE deposit SET kind = 'coal' WHERE added IS NOT NULL",
        "UPDATE deposit SET id = NULL WHERE added IS NOT NULL",
        "UPDATE deposit SET updated_at_millis = NULL WHERE id IS NOT NULL",
        "UPDATE deposit SET added = 1 WHERE id IS NULL",
        "UPDATE book SET initial = -1",
        "UPDATE book SET replenished = -1",
        "UPDATE book SET mined = -1",
        "UPDATE book SET mined = initial + replenished + 1",
        "UPDATE book SET kind = 'iridium'",
        "INSERT INTO book VALUES (randomblob(16), 'coal', 0, 0, 0)",
        "INSERT INTO withdrawn_world VALUES (x'00', 0)",
    ];
    for sql in broken {
        let refusal = database.execute(sql, []).expect_err(sql);
        let code = refusal.sqlite_error_code();
        assert_eq!(code, Some(rusqlite::ErrorCode::ConstraintViolation), "{sql}: {refusal}");
    }
    // What is allowed is not refused by mistake.
    for sql in
        ["UPDATE deposit SET current_amount = 0 WHERE kind IS NOT NULL", "UPDATE book SET mined = initial"]
    {
        assert!(database.execute(sql, []).unwrap() > 0);
    }
}
