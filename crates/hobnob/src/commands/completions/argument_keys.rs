//! Completes keys and values of a tool's or a prompt's arguments, from the cached catalogues.
//!
//! The shell asks for them after the name of a tool or a prompt; no server is started.

use super::typed_line::TypedLine;
use clap_complete::CompletionCandidate;
use hobnob_config::{CatalogueCache, Places, Servers, process_environment};
use hobnob_hub::names::Names;
use hobnob_mcp_types::json::{elements, field};
use hobnob_terminal::render::one_line;
use serde_json::Value;

/// Characters of a description that a shell shows beside a key.
const MAX_HELP: usize = 60;

/// What the keys and values belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HasArguments {
    Tool,
    Prompt,
}

/// One argument, as far as the definition describes it.
#[derive(Debug, PartialEq, Eq)]
struct Argument {
    key: String,
    help: String,
    /// Whether it may be given several times.
    is_list: bool,
    /// The only values it takes; empty if there are many.
    values: Vec<String>,
}

/// What may follow the words of this line.
pub(super) fn candidates(
    places: &Places,
    line: &TypedLine,
    typed: &str,
    what: HasArguments,
) -> Vec<CompletionCandidate> {
    // The command and the tool; arguments begin behind them.
    let [_, name, given @ ..] = &line.words[..] else { return Vec::new() };
    let arguments = arguments_of(places, name, what);
    let find = |key: &str| arguments.iter().find(|it| it.key == key);
    let values = |argument: &Argument, before: &str, begin: &str| -> Vec<CompletionCandidate> {
        let fitting = argument.values.iter().filter(|value| value.starts_with(begin));
        fitting.map(|value| CompletionCandidate::new(format!("{before}{value}"))).collect()
    };
    if let Some((key, begin)) = typed.split_once('=') {
        return find(key).map(|it| values(it, &format!("{key}="), begin)).unwrap_or_default();
    }
    // bash splits words at `=`: the key is one word, and the `=`, if typed already, is the next.
    let key = match given {
        [.., key, sign] if sign == "=" => find(key),
        [.., key] => find(key),
        [] => None,
    };
    if let Some(argument) = key {
        return values(argument, "", typed);
    }
    let is_given = |key: &str| {
        given.iter().any(|word| word.split(['=', ':']).next().is_some_and(|it| it == key))
    };
    let open = arguments.iter().filter(|it| it.key.starts_with(typed));
    open.filter(|it| it.is_list || !is_given(&it.key))
        .map(|it| {
            let candidate = CompletionCandidate::new(format!("{}=", it.key));
            candidate.help((!it.help.is_empty()).then(|| it.help.clone().into()))
        })
        .collect()
}

/// The arguments of the tool or prompt that is meant by a typed name.
fn arguments_of(places: &Places, typed: &str, what: HasArguments) -> Vec<Argument> {
    let names = Names::load(places);
    // The native RPC puts a dot where `call` puts a slash.
    let dotted = typed.split_once('.').map(|(server, tool)| format!("{server}/{tool}"));
    let meant = names.server_meant(typed);
    let meant = meant.or_else(|| names.server_meant(dotted.as_deref()?));
    let original = meant.as_ref().map_or(typed, |it| &it.original);
    let server = meant.as_ref().and_then(|it| it.server.as_deref());
    let cache = CatalogueCache::new(&places.catalogues());
    for configured in Servers::load(places, &process_environment).iter() {
        if server.is_some_and(|server| server != configured.name.as_str()) {
            continue;
        }
        let Some(catalogue) = cache.load(&configured.identity) else { continue };
        let list = match what {
            HasArguments::Tool => "tools",
            HasArguments::Prompt => "prompts",
        };
        for entry in field(&catalogue, list).map(elements).unwrap_or_default() {
            let Ok(entry) = serde_json::from_str::<Value>(entry) else { continue };
            if entry["name"].as_str() == Some(original) {
                return match what {
                    HasArguments::Tool => of_tool(&entry),
                    HasArguments::Prompt => of_prompt(&entry),
                };
            }
        }
    }
    Vec::new()
}

fn of_tool(entry: &Value) -> Vec<Argument> {
    let schema = &entry["inputSchema"];
    let properties = schema["properties"].as_object();
    let required = |key: &String| {
        let required = schema["required"].as_array();
        required.into_iter().flatten().any(|it| it.as_str() == Some(key))
    };
    let mut arguments: Vec<(bool, Argument)> = properties
        .into_iter()
        .flatten()
        .filter(|(key, _)| is_typable(key))
        .map(|(key, about)| {
            let is_list = about["type"] == "array";
            let choices = if is_list { &about["items"] } else { about };
            let values = match &choices["enum"] {
                Value::Array(values) => values.iter().filter_map(shown).collect(),
                _ if choices["type"] == "boolean" => vec!["true".into(), "false".into()],
                _ => Vec::new(),
            };
            (!required(key), Argument { key: key.clone(), help: help(about), is_list, values })
        })
        .collect();
    // Required arguments come first.
    arguments.sort_by_key(|(optional, _)| *optional);
    arguments.into_iter().map(|(_, argument)| argument).collect()
}

fn of_prompt(entry: &Value) -> Vec<Argument> {
    let arguments = entry["arguments"].as_array();
    let named = arguments.into_iter().flatten().filter_map(|about| {
        let key = about["name"].as_str().filter(|key| is_typable(key))?.to_owned();
        Some(Argument { key, help: help(about), is_list: false, values: Vec::new() })
    });
    named.collect()
}

/// Whether a name is safe to offer. Servers choose the names, so a name must have no character that
/// a shell or a terminal acts on.
pub(super) fn is_typable(name: &str) -> bool {
    let harmless = |it: char| it.is_alphanumeric() || "_-.:/@+,%=".contains(it);
    !name.is_empty() && name.chars().all(harmless)
}

fn shown(value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    is_typable(&text).then_some(text)
}

fn help(about: &Value) -> String {
    one_line(about["description"].as_str().unwrap_or_default()).chars().take(MAX_HELP).collect()
}

#[cfg(test)]
mod tests {
    use super::{of_prompt, of_tool};
    use serde_json::json;

    #[test]
    fn definitions_become_keys_and_values() {
        let tool = json!({"inputSchema": {
            "properties": {
                "a": {"type": "string", "description": "First\nline"},
                "$(rm -rf ~)": {"type": "string"},
                "flag": {"type": "boolean"},
                "level": {"enum": ["low", "high", "`x`", 3]},
                "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
            },
            "required": ["level"],
        }});
        let arguments = of_tool(&tool);
        let keys: Vec<&str> = arguments.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, ["level", "a", "flag", "tags"]);
        assert_eq!(arguments[0].values, ["low", "high", "3"]);
        assert_eq!((arguments[1].help.as_str(), arguments[1].is_list), ("First line", false));
        assert_eq!(
            (&arguments[3].values[..], arguments[3].is_list),
            (&["x".into(), "y".into()][..], true)
        );
        let prompt =
            json!({"arguments": [{"name": "who", "description": "Whom"}, {"name": "a b"}]});
        assert_eq!(of_prompt(&prompt).len(), 1);
        assert!(of_tool(&json!({})).is_empty());
    }
}
