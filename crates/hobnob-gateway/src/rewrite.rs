//! Rewrites bodies between the two sides of the gateway: only names and addresses change.
//!
//! Everything works on JSON text and replaces single values in it: unknown fields, key order and
//! big numbers pass through byte for byte, and so does a text that cannot be parsed.

mod definitions;
mod narrow;
mod patch;
mod requests;
mod results;
#[cfg(test)]
mod tests;

pub use definitions::{
    prompt_entry, resource_entry, template_entry, tool_entry, with_text, without_members,
};
pub use narrow::{Unfit, excess_argument, narrowed_prompt, narrowed_tool};
pub(crate) use patch::{Member, Patch, members, quoted, string_value};
pub use patch::{apply, one_line};
pub use requests::{
    CompletionTarget, completion_target, described_call, with_completion_target, with_string,
};
pub use results::{call_result, prompt_result, read_result};
