//! About how many tokens of a model's context the definition of a tool takes.
//!
//! Whoever decides between the whole list and tools to search with asks, and `hobnob tools --cost`.
//! An estimate: each model counts in its own way, and no tokenizer is worth its size here.

use hobnob_mcp_types::json::field;

/// Bytes of a definition for ten tokens: 4.3 a token, as the 964 recorded definitions of
/// `eval/tools` have with the tokenizer `o200k_base`.
const BYTES_OF_TEN: usize = 43;

/// What hosts put around each definition, in bytes.
const FRAME: usize = 40;

/// About how many tokens an entry of `tools/list` takes: of its name, description and input schema,
/// which is what hosts hand to a model.
pub fn estimated_tokens(definition: &str) -> usize {
    let member = |key| field(definition, key).map_or(0, str::len);
    let bytes = FRAME + member("name") + member("description") + member("inputSchema");
    (bytes * 10).div_ceil(BYTES_OF_TEN)
}
