//! Refusals as the generated contract names them: each group stands behind the endpoints that can refuse so.
//! A handler lists its groups beside its success; what is common to all POSTs is added by `contract`.

use starkeep_contract::Problem;
use utoipa::ToSchema;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

/// Makes a type of each group. Services make their own where a refusal is theirs alone.
#[macro_export]
macro_rules! problem_groups {
    ($($(#[$doc:meta])* $group:ident { $($status:literal: $text:literal,)+ })+) => {$(
        $(#[$doc])*
        pub struct $group;

        impl ::utoipa::IntoResponses for $group {
            fn responses() -> ::std::collections::BTreeMap<
                String,
                ::utoipa::openapi::RefOr<::utoipa::openapi::Response>,
            > {
                [$(($status.to_owned(), $crate::http::documented_problems::problem($text))),+].into()
            }
        }
    )+};
}

problem_groups! {
    /// Endpoints that take a JSON body.
    BadBody {
        "400": "`unreadable-json`: the body is no readable JSON",
        "408": "`request-timeout`: the body did not arrive in time",
        "413": "`body-too-large`: the body is too large",
        "415": "`not-json`: the body is not declared as JSON",
        "422": "`invalid-field`: a field is missing, of the wrong type or out of bounds",
    }
    /// Endpoints with query parameters.
    BadParameter {
        "422": "`invalid-parameter`: a parameter of the query, or a header, is not allowed",
    }
    /// What a host does.
    HostOnly {
        "401": "`unauthorized`: the admin token is missing or wrong",
    }
    /// What a player does for itself.
    TokenNeeded {
        "401": "`player-token-needed`: the player's token is missing, or another player's; `unknown-token`: nobody has it",
    }
    /// The state does not allow it; the msd dialect says 403.
    Conflict {
        "403": "In the msd dialect: the state does not allow it",
        "409": "The state does not allow it",
    }
    /// Every endpoint that asks the storage.
    StorageUnreadable {
        "503": "`storage-unavailable`: the storage could not be read",
    }
    /// What streams events.
    TooManyReaders {
        "503": "`storage-unavailable`: the storage could not be read; `too-many-readers`: as many streams are open as may be",
    }
    /// Every endpoint that changes the storage.
    Away {
        "500": "`internal`: the service is at fault",
        "503": "`storage-unavailable`, `outcome-unknown`, or another part that is needed is away",
    }
}

/// A response that is a problem.
pub fn problem(text: &str) -> RefOr<Response> {
    let schema = Ref::from_schema_name(Problem::name());
    let content = Content::new(Some(RefOr::Ref(schema)));
    ResponseBuilder::new().description(text).content("application/problem+json", content).build().into()
}
