//! The hubs that a process or a request comes through, as text for a variable and for `_meta`.
//!
//! `identity` writes and reads it. The text comes from outside: its length is bounded, and a depth
//! that cannot be parsed counts as the greatest.

use hobnob_mcp_types::json::{elements, field, object, write_string};

/// The most hubs read from a chain; a longer chain is cut, and its depth still shows that.
const MAX_HUBS: usize = 128;

/// The most characters of an id.
const MAX_ID: usize = 64;

/// One hub of a chain, as it identifies itself to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HubId {
    /// Identifies its process; a restart changes it.
    pub(super) instance: Box<str>,
    /// Identifies the settings it reads; hubs that share settings share it.
    pub(super) configuration: Box<str>,
}

impl HubId {
    fn parse(text: &str) -> Option<Self> {
        let (instance, configuration) = text.split_once(':')?;
        let legal = |id: &str| {
            (1..=MAX_ID).contains(&id.len()) && id.chars().all(|it| it.is_ascii_alphanumeric())
        };
        (legal(instance) && legal(configuration))
            .then(|| Self { instance: instance.into(), configuration: configuration.into() })
    }

    fn to_text(&self) -> String {
        format!("{}:{}", self.instance, self.configuration)
    }
}

/// The hubs in front of a process or a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) hubs: Vec<HubId>,
    /// How many hubs are in a row; others in `hubs` may stand beside them.
    pub(super) depth: usize,
}

impl Chain {
    /// Parses `DEPTH,INSTANCE:CONFIGURATION,…`; skips invalid ids, which the depth still counts.
    pub(super) fn from_variable(text: &str) -> Self {
        let parts: Vec<&str> = text.split(',').filter(|part| !part.is_empty()).collect();
        let Some((first, rest)) = parts.split_first() else { return Self::default() };
        let hubs: Vec<HubId> =
            rest.iter().take(MAX_HUBS).filter_map(|part| HubId::parse(part)).collect();
        Self { hubs, depth: first.parse().unwrap_or(usize::MAX) }
    }

    pub(super) fn to_variable(&self) -> String {
        let hubs = self.hubs.iter().map(HubId::to_text);
        std::iter::once(self.depth.to_string()).chain(hubs).collect::<Vec<_>>().join(",")
    }

    /// Parses `{"depth":1,"hubs":["INSTANCE:CONFIGURATION"]}`; `None` for anything else.
    pub(super) fn from_json(text: &str) -> Option<Self> {
        let depth = field(text, "depth")?.parse().ok()?;
        let hubs = elements(field(text, "hubs").filter(|hubs| hubs.starts_with('['))?);
        let hub =
            |raw: &str| serde_json::from_str::<String>(raw).ok().and_then(|it| HubId::parse(&it));
        let hubs = hubs.into_iter().take(MAX_HUBS).map(hub).collect::<Option<_>>()?;
        Some(Self { hubs, depth })
    }

    pub(super) fn to_json(&self) -> String {
        object(|chain| {
            chain.raw("depth", &self.depth.to_string());
            let list = chain.key("hubs");
            list.push('[');
            for (at, hub) in self.hubs.iter().enumerate() {
                if at > 0 {
                    list.push(',');
                }
                write_string(list, &hub.to_text());
            }
            list.push(']');
        })
    }
}
