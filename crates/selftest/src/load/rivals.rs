//! A client that tries to start games while as many run as may: one of those who ask gets the place.

use super::games::{create, end, start};
use crate::records::Records;
use crate::service::Service;

/// How often it asks for a place before it gives its game up.
const ATTEMPTS: u32 = 20;

pub(crate) async fn compete(game: Service, records: Records) {
    let mut number = 0_u64;
    while game.goes_on() {
        number += 1;
        let name = format!("rival-{number}");
        let Some(id) = create(&game, &records, &name, 1).await else { continue };
        for _ in 0..ATTEMPTS {
            if start(&game, &records, &id, &name).await != Some(false) {
                break;
            }
            game.pause().await;
        }
        end(&game, &records, &id, &name).await;
    }
}
