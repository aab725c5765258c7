//! Bodies between the two sides of the gateway: names and addresses change, the rest stays.
//!
//! Everything works on JSON text and replaces single values in it, so unknown fields, key order and
//! big numbers come through byte for byte. What cannot be read is passed on as it came.

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
