//! What a derived schema does not say as the wire has it: plain bounded numbers, optional fields, ids that may be empty.
//! Every generated document goes through `simplify`.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, ArrayItems, KnownFormat, Object, ObjectBuilder,
    SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::command::{BatchItem, CommandDetails, CommandRequest, CommandType, LARGEST_BATCH};

/// Rewrites what the derive macro makes of inlined and of optional fields. With a description it makes an inlined number
/// `allOf [integer, object]`, which no value fits; an optional one becomes `oneOf [integer, null]`; and the description of
/// an optional reference stands inside of one alternative, where readers do not look. A default of null says only that a
/// field may be absent, also of fields that are never null.
pub fn simplify(schema: &mut RefOr<Schema>) {
    forget_null_default(schema);
    let RefOr::T(inner) = schema else { return };
    match inner {
        Schema::Object(object) => {
            object.properties.values_mut().for_each(simplify);
            if let Some(AdditionalProperties::RefOr(value)) = object.additional_properties.as_deref_mut() {
                simplify(value);
            }
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                simplify(items);
            }
        }
        Schema::OneOf(one) => {
            one.items.iter_mut().for_each(simplify);
            if let [RefOr::Ref(target), RefOr::T(Schema::Object(null))] = &mut one.items[..]
                && null.schema_type == SchemaType::Type(Type::Null)
                && !target.description.is_empty()
            {
                one.description = Some(std::mem::take(&mut target.description));
            }
            if let [RefOr::T(Schema::Object(value)), RefOr::T(Schema::Object(null))] = &one.items[..]
                && null.schema_type == SchemaType::Type(Type::Null)
                && let SchemaType::Type(kind) = &value.schema_type
            {
                let mut value = value.clone();
                value.schema_type = SchemaType::Array(vec![kind.clone(), Type::Null]);
                value.description = one.description.take().or(value.description);
                *schema = RefOr::T(Schema::Object(value));
            }
        }
        Schema::AllOf(all) => {
            all.items.iter_mut().for_each(simplify);
            if let [RefOr::T(Schema::Object(value)), RefOr::T(Schema::Object(words))] = &all.items[..]
                && *words == described(words.description.clone())
            {
                let mut value = value.clone();
                value.description.clone_from(&words.description);
                *schema = RefOr::T(Schema::Object(value));
            }
        }
        _ => {}
    }
}

fn forget_null_default(schema: &mut RefOr<Schema>) {
    let default = match schema {
        RefOr::Ref(target) => &mut target.default,
        RefOr::T(Schema::Object(object)) => &mut object.default,
        RefOr::T(Schema::OneOf(one)) => &mut one.default,
        RefOr::T(_) => return,
    };
    default.take_if(|value| value.is_null());
}

/// What a parameter or a header is like: it is there or not, and never null.
pub fn never_null(schema: &mut RefOr<Schema>) {
    let is_null = |item: &RefOr<Schema>| matches!(item, RefOr::T(Schema::Object(null)) if null.schema_type == SchemaType::Type(Type::Null));
    match schema {
        RefOr::T(Schema::Object(object)) => {
            if let SchemaType::Array(kinds) = &object.schema_type
                && let [kind, Type::Null] = &kinds[..]
            {
                object.schema_type = SchemaType::Type(kind.clone());
            }
        }
        RefOr::T(Schema::OneOf(one)) => {
            if let [value, null] = &one.items[..]
                && is_null(null)
            {
                *schema = value.clone();
            }
        }
        _ => {}
    }
}

/// An object of which nothing but a description is known.
fn described(description: Option<String>) -> Object {
    ObjectBuilder::new().description(description).build()
}

/// A UUID; an empty text and null mean that there is none.
pub struct OptionalId;

impl PartialSchema for OptionalId {
    fn schema() -> RefOr<Schema> {
        let uuid = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
        let empty = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([""]));
        let description =
            "A UUID. An empty text and null mean that there is none, as if the field were absent.";
        AnyOfBuilder::new()
            .item(uuid)
            .item(empty)
            .item(ObjectBuilder::new().schema_type(Type::Null))
            .description(Some(description))
            .into()
    }
}

impl ToSchema for OptionalId {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("OptionalId")
    }
}

/// The details of a command as they may be sent: also as an empty text, which means that there are none.
pub struct SentDetails;

impl PartialSchema for SentDetails {
    fn schema() -> RefOr<Schema> {
        let empty = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([""]));
        let description = "The details of a command. An empty text and null mean that the field is absent.";
        AnyOfBuilder::new()
            .item(Ref::from_schema_name(CommandDetails::name()))
            .item(empty)
            .item(ObjectBuilder::new().schema_type(Type::Null))
            .description(Some(description))
            .into()
    }
}

impl ToSchema for SentDetails {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SentDetails")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((CommandDetails::name().into_owned(), CommandDetails::schema()));
        CommandDetails::schemas(schemas);
    }
}

/// The type of a command as it may be sent: also in the newer bots' spelling, and absent where the other field has it.
pub struct SentCommandType;

impl PartialSchema for SentCommandType {
    fn schema() -> RefOr<Schema> {
        let words = CommandType::ALL.map(|word| json!(word.name())).into_iter();
        let words: Vec<Value> = words.chain([json!("regenerate"), json!(""), Value::Null]).collect();
        let description = "What a command is about. `regenerate` means `regeneration`; an empty text and null mean that \
                           the field is absent.";
        ObjectBuilder::new()
            .schema_type(SchemaType::Array(vec![Type::String, Type::Null]))
            .enum_values(Some(words))
            .description(Some(description))
            .into()
    }
}

impl ToSchema for SentCommandType {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SentCommandType")
    }
}

macro_rules! batches {
    ($($(#[$doc:meta])* $batch:ident of $item:ident: $description:literal;)+) => {$(
        $(#[$doc])*
        pub struct $batch;

        impl PartialSchema for $batch {
            fn schema() -> RefOr<Schema> {
                let items = Ref::from_schema_name($item::name());
                ArrayBuilder::new()
                    .items(items)
                    .max_items(Some(LARGEST_BATCH))
                    .description(Some($description))
                    .into()
            }
        }

        impl ToSchema for $batch {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($batch))
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                schemas.push(($item::name().into_owned(), $item::schema()));
                $item::schemas(schemas);
            }
        }
    )+};
}

batches! {
    /// `POST /commands/batch`: derived arrays have no bounds.
    CommandBatch of CommandRequest: "`POST /commands/batch`. Each command is taken or refused by itself.";
    /// The answer to it.
    BatchAnswer of BatchItem: "Answer to `POST /commands/batch`: one element for each command, in their order.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::NewGameworld;

    fn field(name: &str) -> Value {
        let mut schema = NewGameworld::schema();
        simplify(&mut schema);
        serde_json::to_value(schema).unwrap()["properties"][name].take()
    }

    #[test]
    fn a_bounded_number_is_plain_and_null_where_it_may_be_left_out() {
        assert_eq!(
            field("player_amount"),
            json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": 10_000,
                    "description": "Decides the size of the world." })
        );
        let seed = field("seed");
        assert_eq!(seed["type"], json!(["integer", "null"]));
        assert_eq!((&seed["minimum"], seed["description"].is_string()), (&json!(0), true), "{seed}");
    }

    #[test]
    fn a_parameter_is_never_null() {
        for name in ["seed", "style"] {
            let mut schema = serde_json::from_value(field(name)).unwrap();
            never_null(&mut schema);
            assert!(!serde_json::to_string(&schema).unwrap().contains("null"), "{name}");
        }
    }

    #[test]
    fn an_optional_reference_has_its_description_beside_the_alternatives() {
        let style = field("style");
        assert!(style["description"].is_string() && style["oneOf"][0]["description"].is_null(), "{style}");
    }
}
