//! Refusals as the generated contract names them: each group stands behind the endpoints that can refuse so.
//! A handler lists its groups beside its success, and the contract is complete.

use std::collections::BTreeMap;

use starkeep_contract::Problem;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident { $($status:literal: $text:literal,)+ })+) => {$(
        $(#[$doc])*
        pub struct $group;

        impl IntoResponses for $group {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                BTreeMap::from([$(($status.to_owned(), problem($text))),+])
            }
        }
    )+};
}

groups! {
    /// Endpoints that take a JSON body.
    BadBody {
        "400": "The body is no readable JSON",
        "408": "The body did not arrive in time",
        "413": "The body is too large",
        "415": "The body is not declared as JSON",
        "422": "A field is missing, of the wrong type or out of bounds; or the Idempotency-Key is not usable",
    }
    /// POSTs without a body: only their Idempotency-Key can be wrong, and what is read to compare it.
    BadKey {
        "408": "The body did not arrive in time",
        "413": "The body is too large",
        "422": "The Idempotency-Key is not usable, or came with another body",
    }
    /// Endpoints with query parameters.
    BadParameter {
        "422": "A parameter of the query is not allowed",
    }
    /// What a host does.
    HostOnly {
        "401": "The admin token is missing or wrong",
    }
    /// What a player does for itself.
    TokenNeeded {
        "401": "The player's token is missing",
    }
    /// An id in the path that names nothing.
    Unknown {
        "404": "There is no such thing",
    }
    /// The state does not allow it; the msd dialect says 403.
    Conflict {
        "403": "In the msd dialect: the state does not allow it",
        "409": "The state does not allow it",
    }
    /// Every endpoint that asks or changes the storage.
    Away {
        "500": "The service is at fault",
        "503": "A part that is needed is away",
    }
}

fn problem(text: &str) -> RefOr<Response> {
    let schema = Ref::from_schema_name(Problem::name());
    let content = Content::new(Some(RefOr::Ref(schema)));
    ResponseBuilder::new().description(text).content("application/problem+json", content).build().into()
}
