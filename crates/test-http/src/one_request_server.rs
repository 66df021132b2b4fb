//! A server that reads one request, answers with the bytes it was given, and closes the connection.

use tokio::task::JoinHandle;

use crate::message::Message;
use crate::scripted_server::ScriptedServer;
use crate::time_limit::within_limit;

/// What is sent back, byte for byte.
#[derive(Debug)]
pub enum RawAnswer {
    Text(String),
    /// How it begins, and what follows until the client closes the connection.
    Endless(String, &'static str),
}

pub struct OneRequestServer {
    pub url: String,
    serving: JoinHandle<(ScriptedServer, Message)>,
}

impl OneRequestServer {
    pub async fn start(answer: RawAnswer) -> Self {
        let server = ScriptedServer::start().await;
        let url = server.url();
        let serving = tokio::spawn(async move {
            let mut connection = server.connection().await;
            match answer {
                RawAnswer::Text(text) => connection.send(&text).await,
                RawAnswer::Endless(begin, more) => {
                    connection.send(&begin).await;
                    connection.send_endlessly(more).await;
                }
            }
            (server, connection.request)
        });
        Self { url, serving }
    }

    /// The one request that has come.
    pub async fn received(self) -> Message {
        let (server, request) = within_limit("the end of the connection", self.serving).await.unwrap();
        server.expect_nobody_else();
        request
    }
}
