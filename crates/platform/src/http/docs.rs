//! The contract as a page that a person reads, made on the server: no script, no font, no request to anywhere.
//! It is put together here; each part of it has a file of its own.

mod contents;
mod curl;
mod endpoints;
mod events;
mod example;
mod fields;
mod html;
mod problems;
mod receipts;

use serde_json::Value;
use starkeep_contract::asyncapi;
use starkeep_contract::events::Channel;
use starkeep_contract::services::Services;
use utoipa::openapi::OpenApi;

use self::html::{escape, inline};
pub use self::problems::errors_markdown;
use crate::service_addresses::{ServiceAddresses, is_plain};

/// Also of the guide that the game service shows below `/docs/`.
pub const STYLE: &str = include_str!("docs/style.css");

/// Stand for what is different for each reader; no text of a contract has them.
const HERE: &str = "\u{1}here\u{1}";
const OTHERS: &str = "\u{1}others\u{1}";

/// The page of one service. It is made once; the addresses in it are those that its reader uses.
pub struct Docs {
    page: String,
    title: String,
    addresses: Option<ServiceAddresses>,
}

impl Docs {
    /// `channels` are those of the service.
    pub fn new(contract: &OpenApi, channels: &[Channel], addresses: Option<ServiceAddresses>) -> Self {
        let document = serde_json::to_value(contract).expect("a contract is plain data");
        let title = document["info"]["title"].as_str().unwrap_or_default().to_owned();
        let page = page(&document, &asyncapi::document(env!("CARGO_PKG_VERSION")), channels);
        Self { page, title, addresses }
    }

    /// `host` is the request's: a name or an address, with or without a port.
    pub fn told_to(&self, host: Option<&str>) -> String {
        let host = host.filter(|host| is_plain(host));
        let here = host.map_or("http://localhost".to_owned(), |host| format!("http://{host}"));
        let others = self.addresses.as_ref().map(|addresses| self.links(addresses.told_to(host)));
        self.page.replace(HERE, &here).replace(OTHERS, &others.unwrap_or_default())
    }

    /// Links to the pages of all services that are known.
    fn links(&self, services: Services) -> String {
        let Services { game, map, robot, trading } = services;
        let known = [("game", Some(game)), ("map", map), ("robot", robot), ("trading", trading)];
        let links = known.into_iter().filter_map(|(name, address)| {
            // Who reads a page is there already, under whatever address.
            let is_here = self.title.contains(&format!(" {name} "));
            let current = if is_here { " aria-current=\"page\"" } else { "" };
            let address = if is_here { String::new() } else { address?.trim_end_matches('/').to_owned() };
            Some(format!("<li><a href=\"{}/docs\"{current}>{name}</a></li>", escape(&address)))
        });
        format!("<nav aria-label=\"Services\"><ul>{}</ul></nav>", links.collect::<String>())
    }
}

fn page(document: &Value, channels_document: &Value, channels: &[Channel]) -> String {
    let info = |key: &str| document["info"][key].as_str().unwrap_or_default();
    let (title, description) = (escape(info("title")), inline(info("description")));
    let guide = guide(document);
    let groups = endpoints::by_tag(document);
    let has_receipts = document["components"]["schemas"]["CommandState"].is_object();
    let contents = contents::list(&groups, channels, has_receipts);
    let endpoints: String = groups.iter().map(|group| endpoints::section(group, document)).collect();
    let events = events::section(channels_document, channels);
    let receipts = if has_receipts { receipts::section() } else { String::new() };
    let problems = problems::section();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\
         <a class=\"skip\" href=\"#text\">Skip to the text</a>\
         <header class=\"top\"><strong>Starkeep</strong>{OTHERS}</header>\
         <div class=\"page\"><nav class=\"contents\" aria-label=\"Contents\">{contents}</nav>\
         <main id=\"text\"><h1>{title}</h1><p class=\"lead\">{description}</p>{guide}\
         <p>For machines: <a href=\"/openapi.json\">/openapi.json</a>, \
         the events: <a href=\"/asyncapi.json\">/asyncapi.json</a>. \
         How it is: <a href=\"/health\">/health</a>, <a href=\"/metrics\">/metrics</a>. \
         Where a <code>curl</code> has a word with <code>$</code>, set it first, as in <code>gameId=5eed…</code>.</p>\
         {endpoints}{events}{receipts}{problems}</main></div></body></html>\n"
    )
}

/// What the contract names as its external documentation.
fn guide(document: &Value) -> String {
    let told = |key: &str| document["externalDocs"][key].as_str();
    let (Some(url), Some(description)) = (told("url"), told("description")) else { return String::new() };
    format!("<p><a href=\"{}\">{}</a></p>", escape(url), escape(description))
}

#[cfg(test)]
mod tests;
