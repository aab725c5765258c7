//! Estimates how many tokens of a model's context the definition of a tool takes.
//!
//! The choice between the whole list and the search tools uses it, as does `hobnob tools --cost`.
//! An estimate has to do: models count differently, and no tokenizer is worth its size here.

use hobnob_mcp_types::json::field;

/// Bytes of definition per ten tokens: the 964 definitions recorded in `eval/tools` take 4.3 bytes
/// a token with the tokenizer `o200k_base`.
const BYTES_PER_TEN_TOKENS: usize = 43;

/// Bytes that hosts put around each definition.
const FRAME_BYTES: usize = 40;

/// Estimated tokens of an entry of `tools/list`, counting its name, description and input schema:
/// hosts pass only these on to a model.
pub fn estimated_tokens(definition: &str) -> usize {
    let member = |key| field(definition, key).map_or(0, str::len);
    let bytes = FRAME_BYTES + member("name") + member("description") + member("inputSchema");
    (bytes * 10).div_ceil(BYTES_PER_TEN_TOKENS)
}
