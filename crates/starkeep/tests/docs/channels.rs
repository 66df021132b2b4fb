//! docs/events.md lists every channel under the service that publishes it, in the contract's order.

use starkeep_contract::events::{Channel, Publisher};

use crate::fences::read;

#[test]
fn every_channel_is_listed_under_its_service() {
    let page = read("docs/events.md");
    for service in [Publisher::Game, Publisher::Map, Publisher::Robot, Publisher::Trading] {
        let heading = format!("## Channels of the {} service\n", service.name());
        let (_, section) = page.split_once(&heading).unwrap_or_else(|| panic!("no {heading}"));
        let section = section.split("\n## ").next().unwrap();
        let listed = section.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next());
        let published: Vec<_> = Channel::of(service).into_iter().map(Channel::name).collect();
        assert_eq!(listed.collect::<Vec<_>>(), published, "{heading}");
    }
}
