//! Turns the name of a tool into one that model providers accept.
//!
//! What must stay true: every provider accepts such a name, and no two tools have the same name, as long
//! as the caller knows which names are taken.

#[cfg(test)]
mod tests;

/// The longest name of a tool that every provider accepts.
pub const MAX_MODEL_TOOL_NAME: usize = 64;

/// A free name that every provider accepts: other characters become underscores, and a number
/// follows if the name is taken.
pub fn model_tool_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let plain: String = name.chars().map(|it| if legal(it) { it } else { '_' }).collect();
    let fits = &plain[..plain.len().min(MAX_MODEL_TOOL_NAME)];
    if !is_taken(fits) {
        return fits.to_owned();
    }
    let numbered = |number: usize| {
        let end = format!("_{number}");
        format!("{}{end}", &plain[..plain.len().min(MAX_MODEL_TOOL_NAME - end.len())])
    };
    (2..).map(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
