//! How the command line spells other clients: the same words for `connect` and `import`.
//!
//! The words are those of `ClientProgram`; this file only hands them to clap, which suggests the
//! nearest word for a mistyped one.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hobnob_config::clients::ClientProgram;

/// Parses the word for one client.
pub(super) fn client() -> impl TypedValueParser<Value = ClientProgram> {
    PossibleValuesParser::new(words()).try_map(|word| known(&word))
}

/// Parses the word for one client, or `all`.
pub(super) fn client_or_all() -> impl TypedValueParser<Value = ClientOrAll> {
    let all = PossibleValue::new(ALL).help("All of them");
    PossibleValuesParser::new(words().into_iter().chain([all])).try_map(|word| match &*word {
        ALL => Ok(ClientOrAll::All),
        word => known(word).map(ClientOrAll::Client),
    })
}

/// The word for every client.
const ALL: &str = "all";

/// The clients that a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientOrAll {
    All,
    Client(ClientProgram),
}

impl ClientOrAll {
    pub(super) fn includes(self, client: ClientProgram) -> bool {
        self == Self::All || self == Self::Client(client)
    }
}

fn words() -> Vec<PossibleValue> {
    let value = |client: ClientProgram| {
        let value = PossibleValue::new(client.word()).help(client.to_string());
        value.aliases(client.other_words().iter().copied())
    };
    ClientProgram::ALL.into_iter().map(value).collect()
}

fn known(word: &str) -> Result<ClientProgram, String> {
    ClientProgram::of_word(word).ok_or_else(|| format!("no client is called `{word}`"))
}
