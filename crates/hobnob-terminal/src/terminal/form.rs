//! Fills in a form, field by field.
//!
//! `host.rs` calls it. What must stay true: every value is checked when it is typed, and nothing is
//! sent before the user has seen everything and agreed.

use super::arguments;
use super::asker::{AskedPerson, Asker};
use super::check;
use super::pager::{self, Shown};
use super::person::Person;
use crate::render::{one_line, safe};
use hobnob_mcp_types::elicitation::ElicitFormParams;
use hobnob_mcp_types::form::PrimitiveSchema;
use hobnob_mcp_types::form_field::TitledValue;
use serde_json::{Map, Value, json};

/// How often a field is asked for before the form is cancelled.
const MAX_TRIES: usize = 20;

/// How a form ended.
#[derive(Debug, PartialEq)]
pub(super) enum Filled {
    /// The user wants to send these values.
    Sent(Map<String, Value>),
    /// The user does not want to send anything.
    Declined,
    /// The user left the form without a decision.
    Cancelled,
}

/// Whether a field may stay empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

/// How a field ended.
enum Field {
    Value(Value),
    Empty,
    /// This version does not know its type.
    Unsupported,
    Cancelled,
}

/// Asks for every field, and then whether to send the values.
pub(super) fn fill(asker: &Asker, form: &ElicitFormParams, person: &mut dyn Person) -> Filled {
    asker.show_question(&form.message, person);
    let mut asked = AskedPerson { asker, person };
    let mut content = Map::new();
    for (name, field) in form.requested_schema.properties.iter() {
        let presence = match form.requested_schema.required.iter().any(|it| it == name) {
            true => Presence::Required,
            false => Presence::Optional,
        };
        match ask(name, field, presence, &mut asked) {
            Field::Value(value) => drop(content.insert(name.to_owned(), value)),
            Field::Empty => {}
            Field::Unsupported if presence == Presence::Optional => {}
            Field::Unsupported => {
                asked.tell(&format!("this terminal cannot fill in `{}`", one_line(name)));
                return Filled::Declined;
            }
            Field::Cancelled => return Filled::Cancelled,
        }
    }
    let choices = ["Send this", "Send nothing"].map(str::to_owned);
    match asked.person.one_of("Send it?", &choices, 0) {
        Some(0) => Filled::Sent(content),
        Some(_) => Filled::Declined,
        None => Filled::Cancelled,
    }
}

/// The gateway's own question whether a call may run: all of it, page by page, then one choice.
/// A key that is pressed too early agrees to nothing.
pub(super) fn permission(form: &ElicitFormParams, person: &mut dyn Person) -> Filled {
    let text = match arguments::full_question(form) {
        Ok(text) => text,
        Err(why) => {
            person.tell(&safe(&form.message));
            person.tell(&format!("Refused, because the arguments cannot be shown: {why}"));
            return Filled::Declined;
        }
    };
    if pager::show(&safe(&text), person) == Shown::Refused {
        return Filled::Declined;
    }
    let Some((name, field)) = form.requested_schema.properties.iter().next() else {
        return Filled::Declined;
    };
    let mut field = field.clone();
    if let PrimitiveSchema::TitledSingleSelect(choices) = &mut field {
        choices.default = Some("no".into());
    }
    match ask(name, &field, Presence::Required, person) {
        Field::Value(value) => Filled::Sent(Map::from_iter([(name.to_owned(), value)])),
        Field::Empty | Field::Unsupported => Filled::Declined,
        Field::Cancelled => Filled::Cancelled,
    }
}

fn ask(name: &str, field: &PrimitiveSchema, presence: Presence, person: &mut dyn Person) -> Field {
    match field {
        PrimitiveSchema::String(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let default = it.default.as_deref();
            ask_typed(&question, default, presence, person, |typed| check::text(it, typed))
        }
        PrimitiveSchema::Number(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let default = it.default.map(|it| it.to_string());
            let default = default.as_deref();
            ask_typed(&question, default, presence, person, |typed| check::number(it, typed))
        }
        PrimitiveSchema::Boolean(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let choices = [TitledValue::new("true", "yes"), TitledValue::new("false", "no")];
            let default = it.default.map(|it| it.to_string());
            match choose_one(&question, &choices, default.as_deref(), presence, person) {
                Field::Value(value) => Field::Value(json!(value == json!("true"))),
                other => other,
            }
        }
        PrimitiveSchema::UntitledSingleSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            choose_one(&question, &plain(&it.values), it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::TitledSingleSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            choose_one(&question, &it.one_of, it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::LegacyTitled(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let names = it.enum_names.iter().chain(it.values.iter().skip(it.enum_names.len()));
            let titled = it.values.iter().zip(names);
            let choices: Vec<_> =
                titled.map(|(value, title)| TitledValue::new(value, title)).collect();
            choose_one(&question, &choices, it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::UntitledMultiSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let bounds = (it.min_items, it.max_items);
            choose_many(&question, &plain(&it.items.values), &it.default, bounds, presence, person)
        }
        PrimitiveSchema::TitledMultiSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let bounds = (it.min_items, it.max_items);
            choose_many(&question, &it.items.any_of, &it.default, bounds, presence, person)
        }
        PrimitiveSchema::Unknown(_) => Field::Unsupported,
    }
}

fn question(name: &str, title: Option<&str>, description: Option<&str>) -> String {
    let mut words = one_line(title.unwrap_or(name));
    if let Some(description) = description {
        words.push_str(&format!(" ({})", one_line(description)));
    }
    words
}

fn plain(values: &[String]) -> Vec<TitledValue> {
    values.iter().map(|value| TitledValue::new(value, value)).collect()
}

fn ask_typed(
    question: &str,
    default: Option<&str>,
    presence: Presence,
    person: &mut dyn Person,
    check: impl Fn(&str) -> Result<Value, String>,
) -> Field {
    // A default that a terminal would act on is ignored.
    let default = default.filter(|it| safe(it) == *it);
    for _ in 0..MAX_TRIES {
        let Some(answer) = person.text(question, default) else { return Field::Cancelled };
        if answer.is_empty() && presence == Presence::Optional {
            return Field::Empty;
        }
        match check(&answer) {
            Ok(_) if answer.is_empty() => person.tell("this field is required"),
            Ok(value) => return Field::Value(value),
            Err(wrong) => person.tell(&wrong),
        }
    }
    Field::Cancelled
}

fn choose_one(
    question: &str,
    choices: &[TitledValue],
    default: Option<&str>,
    presence: Presence,
    person: &mut dyn Person,
) -> Field {
    if choices.is_empty() {
        return Field::Unsupported;
    }
    let mut titles: Vec<String> = choices.iter().map(|it| one_line(&it.title)).collect();
    let preset = choices.iter().position(|it| Some(&*it.value) == default);
    if presence == Presence::Optional {
        titles.push("(leave empty)".into());
    }
    let first = match (preset, presence) {
        (Some(preset), _) => preset,
        (None, Presence::Optional) => choices.len(),
        (None, Presence::Required) => 0,
    };
    match person.one_of(question, &titles, first) {
        Some(at) => choices.get(at).map_or(Field::Empty, |it| Field::Value(json!(it.value))),
        None => Field::Cancelled,
    }
}

fn choose_many(
    question: &str,
    choices: &[TitledValue],
    default: &[String],
    bounds: (Option<u64>, Option<u64>),
    presence: Presence,
    person: &mut dyn Person,
) -> Field {
    if choices.is_empty() {
        return Field::Unsupported;
    }
    let titled = choices.iter().map(|it| (one_line(&it.title), default.contains(&it.value)));
    let titled: Vec<(String, bool)> = titled.collect();
    for _ in 0..MAX_TRIES {
        let Some(picked) = person.any_of(question, &titled) else { return Field::Cancelled };
        if picked.is_empty() && presence == Presence::Optional {
            return Field::Empty;
        }
        match check::amount(bounds.0, bounds.1, picked.len()) {
            Ok(()) => {
                let values = picked.iter().filter_map(|at| choices.get(*at));
                return Field::Value(values.map(|it| json!(it.value)).collect());
            }
            Err(wrong) => person.tell(&wrong),
        }
    }
    Field::Cancelled
}
