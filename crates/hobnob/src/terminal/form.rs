//! A form, field by field. What is typed is checked at once; nothing is sent before the person
//! has seen everything and agreed.

use super::arguments;
use super::check;
use super::pager::{self, Shown};
use super::person::Person;
use crate::render::{one_line, safe};
use hobnob_mcp_types::elicitation::ElicitFormParams;
use hobnob_mcp_types::form::PrimitiveSchema;
use hobnob_mcp_types::form_field::TitledValue;
use serde_json::{Map, Value, json};

/// Times a field is asked for again before the form is given up.
const TRIES: usize = 20;

/// What became of a form.
#[derive(Debug, PartialEq)]
pub(super) enum Filled {
    /// It is to be sent.
    Sent(Map<String, Value>),
    /// The person does not want to.
    Declined,
    /// The person went away.
    GivenUp,
}

/// Whether a field may stay empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

/// What became of a field.
enum Field {
    Value(Value),
    Empty,
    /// It cannot be asked for here.
    Strange,
    GivenUp,
}

/// Asks everything and then whether to send it.
pub(super) fn fill(form: &ElicitFormParams, person: &mut dyn Person) -> Filled {
    person.tell(&format!("A server asks: {}", safe(&form.message)));
    let mut content = Map::new();
    for (name, field) in form.requested_schema.properties.iter() {
        let presence = match form.requested_schema.required.iter().any(|it| it == name) {
            true => Presence::Required,
            false => Presence::Optional,
        };
        match ask(name, field, presence, person) {
            Field::Value(value) => drop(content.insert(name.to_owned(), value)),
            Field::Empty => {}
            Field::Strange if presence == Presence::Optional => {}
            Field::Strange => {
                person.tell(&format!("`{}` cannot be filled in here", one_line(name)));
                return Filled::Declined;
            }
            Field::GivenUp => return Filled::GivenUp,
        }
    }
    let choices = ["Send this", "Send nothing"].map(str::to_owned);
    match person.one_of("Well?", &choices, 0) {
        Some(0) => Filled::Sent(content),
        Some(_) => Filled::Declined,
        None => Filled::GivenUp,
    }
}

/// The gateway's own question: everything that would run, by pages, then one choice, and choosing
/// is agreeing. A key pressed too early agrees to nothing.
pub(super) fn permission(form: &ElicitFormParams, person: &mut dyn Person) -> Filled {
    let text = match arguments::whole(form) {
        Ok(text) => text,
        Err(why) => {
            person.tell(&safe(&form.message));
            person.tell(&format!("It cannot be shown as a whole, so it is refused: {why}"));
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
        Field::Empty | Field::Strange => Filled::Declined,
        Field::GivenUp => Filled::GivenUp,
    }
}

fn ask(name: &str, field: &PrimitiveSchema, presence: Presence, person: &mut dyn Person) -> Field {
    match field {
        PrimitiveSchema::String(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let default = it.default.as_deref();
            typed(&question, default, presence, person, |typed| check::text(it, typed))
        }
        PrimitiveSchema::Number(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let default = it.default.map(|it| it.to_string());
            let default = default.as_deref();
            typed(&question, default, presence, person, |typed| check::number(it, typed))
        }
        PrimitiveSchema::Boolean(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let choices = [TitledValue::new("true", "yes"), TitledValue::new("false", "no")];
            let default = it.default.map(|it| it.to_string());
            match chosen(&question, &choices, default.as_deref(), presence, person) {
                Field::Value(value) => Field::Value(json!(value == json!("true"))),
                other => other,
            }
        }
        PrimitiveSchema::UntitledSingleSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            chosen(&question, &plain(&it.values), it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::TitledSingleSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            chosen(&question, &it.one_of, it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::LegacyTitled(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let names = it.enum_names.iter().chain(it.values.iter().skip(it.enum_names.len()));
            let titled = it.values.iter().zip(names);
            let choices: Vec<_> =
                titled.map(|(value, title)| TitledValue::new(value, title)).collect();
            chosen(&question, &choices, it.default.as_deref(), presence, person)
        }
        PrimitiveSchema::UntitledMultiSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let bounds = (it.min_items, it.max_items);
            several(&question, &plain(&it.items.values), &it.default, bounds, presence, person)
        }
        PrimitiveSchema::TitledMultiSelect(it) => {
            let question = question(name, it.title.as_deref(), it.description.as_deref());
            let bounds = (it.min_items, it.max_items);
            several(&question, &it.items.any_of, &it.default, bounds, presence, person)
        }
        PrimitiveSchema::Unknown(_) => Field::Strange,
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

fn typed(
    question: &str,
    default: Option<&str>,
    presence: Presence,
    person: &mut dyn Person,
    check: impl Fn(&str) -> Result<Value, String>,
) -> Field {
    // A default that a terminal would act on is no default.
    let default = default.filter(|it| safe(it) == *it);
    for _ in 0..TRIES {
        let Some(answer) = person.text(question, default) else { return Field::GivenUp };
        if answer.is_empty() && presence == Presence::Optional {
            return Field::Empty;
        }
        match check(&answer) {
            Ok(_) if answer.is_empty() => person.tell("this must be filled in"),
            Ok(value) => return Field::Value(value),
            Err(wrong) => person.tell(&wrong),
        }
    }
    Field::GivenUp
}

fn chosen(
    question: &str,
    choices: &[TitledValue],
    default: Option<&str>,
    presence: Presence,
    person: &mut dyn Person,
) -> Field {
    if choices.is_empty() {
        return Field::Strange;
    }
    let mut things: Vec<String> = choices.iter().map(|it| one_line(&it.title)).collect();
    let preset = choices.iter().position(|it| Some(&*it.value) == default);
    if presence == Presence::Optional {
        things.push("(leave it out)".into());
    }
    let first = match (preset, presence) {
        (Some(preset), _) => preset,
        (None, Presence::Optional) => choices.len(),
        (None, Presence::Required) => 0,
    };
    match person.one_of(question, &things, first) {
        Some(at) => choices.get(at).map_or(Field::Empty, |it| Field::Value(json!(it.value))),
        None => Field::GivenUp,
    }
}

fn several(
    question: &str,
    choices: &[TitledValue],
    default: &[String],
    bounds: (Option<u64>, Option<u64>),
    presence: Presence,
    person: &mut dyn Person,
) -> Field {
    if choices.is_empty() {
        return Field::Strange;
    }
    let things: Vec<String> = choices.iter().map(|it| one_line(&it.title)).collect();
    let preset: Vec<bool> = choices.iter().map(|it| default.contains(&it.value)).collect();
    for _ in 0..TRIES {
        let Some(picked) = person.any_of(question, &things, &preset) else {
            return Field::GivenUp;
        };
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
    Field::GivenUp
}
