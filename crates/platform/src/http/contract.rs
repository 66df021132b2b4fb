//! What every service's contract has in common, added once: the common endpoints, what `Idempotency-Key` brings to each
//! POST, the headers that go with a status, the host's token. What an endpoint does by itself stands beside its handler.

use starkeep_contract::events::EventPage;
use starkeep_contract::health::Health;
use starkeep_contract::schema::{never_null, simplify};
use utoipa::OpenApi;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Header, OpenApi as Contract, RefOr, Required, Response, Schema};

use super::documented_problems::{BadParameter, HostOnly, problem};
use super::events;
use super::health::HealthQuery;

const PROBLEM: &str = "application/problem+json";

/// The service's own part of the contract, with all that is common added to it.
pub fn complete(mut contract: Contract) -> Contract {
    contract.merge(Common::openapi());
    let components = contract.components.get_or_insert_default();
    components
        .add_security_scheme("admin", bearer("The host's token, where the service was started with one."));
    components.schemas.values_mut().for_each(simplify);
    for item in contract.paths.paths.values_mut() {
        if let Some(operation) = &mut item.post {
            add_idempotency(operation);
        }
        for operation in operations(item) {
            simplify_parameters(operation);
            simplify_body(operation);
            let answers = operation.responses.responses.iter_mut();
            answers.for_each(|(status, answer)| add_headers(status, answer));
        }
    }
    contract
}

/// A token that is shown as `Authorization: Bearer <token>`.
pub fn bearer(description: &str) -> SecurityScheme {
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description));
    SecurityScheme::Http(scheme.build())
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete].into_iter().flatten()
}

fn simplify_parameters(operation: &mut Operation) {
    let parameters = operation.parameters.iter_mut().flatten();
    let schemas = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => parameter.schema.as_mut(),
        RefOr::Ref(_) => None,
    });
    schemas.for_each(|schema| {
        simplify(schema);
        never_null(schema);
    });
}

/// A body that may be left out is not for that one that may be null.
fn simplify_body(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(RefOr::T(Schema::OneOf(alternatives))) = &content.schema
            && let [RefOr::Ref(target), RefOr::T(_)] = &alternatives.items[..]
        {
            content.schema = Some(RefOr::Ref(target.clone()));
        }
    }
}

/// The layer stands in front of every POST: it takes a header, reads the body, and may give an answer of its own.
fn add_idempotency(operation: &mut Operation) {
    operation.parameters.get_or_insert_default().push(idempotency_key().into());
    let answers = &mut operation.responses.responses;
    let refusals = [
        ("400", "`unreadable-json`: the body could not be read"),
        ("408", "`request-timeout`: the body did not arrive in time"),
        ("413", "`body-too-large`: the body is too large"),
    ];
    for (status, text) in refusals {
        answers.entry(status.to_owned()).or_insert_with(|| problem(text));
    }
    let bad_key = "`invalid-idempotency-key`: the Idempotency-Key is not usable; `idempotency-key-reused`: it came with \
                   another body before";
    let before = match answers.get("422") {
        Some(RefOr::T(answer)) => format!("{}. Or ", answer.description),
        _ => String::new(),
    };
    answers.insert("422".to_owned(), problem(&format!("{before}{bad_key}")));
    for (_, answer) in answers.iter_mut().filter(|(status, _)| status.starts_with('2')) {
        let replayed = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["true"]));
        let text = "Only where this is the answer to an earlier request with the same Idempotency-Key.";
        add_header(answer, "Idempotency-Replayed", header(replayed, text));
    }
}

fn idempotency_key() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[!-~]+$"));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "A repeat with the same key and the same body gets the first answer, for at least 24 hours.",
        ))
        .schema(Some(schema))
        .build()
}

/// What the platform sends along with a refusal.
fn add_headers(status: &str, answer: &mut RefOr<Response>) {
    let RefOr::T(response) = &*answer else { return };
    if !response.content.contains_key(PROBLEM) {
        return;
    }
    match status {
        "401" => {
            let scheme = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["Bearer"]));
            add_header(answer, "WWW-Authenticate", header(scheme, "How a token is shown."));
        }
        "429" | "503" => {
            let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
            add_header(answer, "Retry-After", header(seconds, "Seconds after which a retry makes sense."));
        }
        _ => {}
    }
}

fn add_header(answer: &mut RefOr<Response>, name: &str, header: Header) {
    if let RefOr::T(answer) = answer {
        answer.headers.insert(name.to_owned(), header.into());
    }
}

fn header(schema: ObjectBuilder, description: &str) -> Header {
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
}

#[derive(OpenApi)]
#[openapi(
    paths(events::events, health, metrics, openapi, asyncapi, docs),
    components(schemas(EventPage, Health))
)]
struct Common;

/// Show how the service is, part by part.
#[utoipa::path(get, path = "/health", operation_id = "getHealth", tag = "service", security((), ("admin" = [])), params(HealthQuery), responses(
    (status = 200, body = Health, description = "It works; `degraded` if a part is away that it can do without"),
    (status = 503, body = Health, description = "It cannot write"),
    HostOnly, BadParameter,
))]
#[expect(dead_code, reason = "the contract's part of a route that `common` has")]
fn health() {}

/// Show the service's figures.
#[utoipa::path(get, path = "/metrics", operation_id = "getMetrics", tag = "service", responses(
    (status = 200, body = String, content_type = "application/openmetrics-text", description = "In the OpenMetrics format"),
))]
#[expect(dead_code, reason = "the contract's part of a route that `common` has")]
fn metrics() {}

/// Show this document.
#[utoipa::path(get, path = "/openapi.json", operation_id = "getOpenapi", tag = "service", responses(
    (status = 200, body = Object, content_type = "application/json", description = "An OpenAPI document"),
))]
#[expect(dead_code, reason = "the contract's part of a route that `common` has")]
fn openapi() {}

/// Show the document of the events of all services.
#[utoipa::path(get, path = "/asyncapi.json", operation_id = "getAsyncapi", tag = "service", responses(
    (status = 200, body = Object, content_type = "application/json", description = "An AsyncAPI document"),
))]
#[expect(dead_code, reason = "the contract's part of a route that `common` has")]
fn asyncapi() {}

/// Show this document to a person.
#[utoipa::path(get, path = "/docs", operation_id = "getDocs", tag = "service", responses(
    (status = 200, body = String, content_type = "text/html", description = "A page"),
))]
#[expect(dead_code, reason = "the contract's part of a route that `common` has")]
fn docs() {}
