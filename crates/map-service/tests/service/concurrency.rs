//! Many clients at once: what is mined left the planet, once.
//! How fast they are served is not measured here.

use std::sync::Arc;

use crate::harness::TestMap;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_clients_share_one_deposit_exactly() {
    let map = Arc::new(TestMap::new().await);
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    let clients: Vec<_> = (1..=64)
        .map(|appetite| {
            let (map, planet) = (map.clone(), planet.clone());
            tokio::spawn(async move {
                let mut mined = Vec::new();
                loop {
                    let mining = map.mine(&planet, appetite).await;
                    assert_eq!(mining.status, 201, "{}", mining.body);
                    let amount = mining.body["amount_mined"].as_i64().unwrap();
                    mined.push((amount, mining.body["amount_left"].as_i64().unwrap()));
                    if amount == 0 {
                        return mined;
                    }
                }
            })
        })
        .collect();
    let mut all = Vec::new();
    for client in clients {
        all.extend(client.await.unwrap());
    }
    all.retain(|(amount, _)| *amount > 0);
    assert_eq!(all.iter().map(|(amount, _)| amount).sum::<i64>(), 10_000);
    // In the order of what was left, each mining begins where the one before it ended.
    all.sort_by_key(|(_, left)| -left);
    let mut left = 10_000;
    for (amount, left_after) in all {
        left -= amount;
        assert_eq!(left, left_after);
    }
    let stored: i64 = map.database().query_row("SELECT sum(mined) FROM book", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 10_000);
}
