//! The events of a service: each channel with what it tells, its fields and an example.
//! They come from the same document as `/asyncapi.json`.

use std::fmt::Write;

use serde_json::Value;
use starkeep_contract::events::Channel;

use super::fields::{Direction, table};
use super::html::{figure, inline};
use super::{HERE, example};

/// `document` has the channels of all services.
pub(super) fn section(document: &Value, channels: &[Channel]) -> String {
    let mut html = format!(
        "<section><h2 id=\"events\">Events</h2><div class=\"beside\"><div>\
         <p>Whatever happens is told on a channel. <a href=\"#getEvents\"><code>GET /events</code></a> shows all of them \
         in one order, as a stream or as pages. Remember the <code>id</code> of the last event that you have seen: with \
         <code>Last-Event-ID</code> or <code>?after=</code> you go on from there, and nothing is missing or doubled. \
         With <code>--kafka</code> each channel is also a topic of the same name.</p></div><div class=\"examples\">{}</div></div>",
        figure("Follow", &format!("curl -N {HERE}/events?after=start"))
    );
    for channel in channels {
        let name = channel.name();
        let message = &document["components"]["messages"][name];
        let when = inline(document["channels"][name]["description"].as_str().unwrap_or_default());
        let _ = write!(
            html,
            "<article class=\"entry\" id=\"event-{name}\"><h3><code>{name}</code></h3><div class=\"beside\"><div><p>{when}</p>\
             <h4>Payload</h4>{}</div><div class=\"examples\">{}{}</div></div></article>",
            table(&message["payload"], document, Direction::Answered),
            figure("Payload", &example::shown(&message["examples"][0]["payload"])),
            figure("Headers", &example::shown(&message["examples"][0]["headers"])),
        );
    }
    html.push_str("</section>");
    html
}
