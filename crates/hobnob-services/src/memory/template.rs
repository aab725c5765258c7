//! Templates with variables, written `{{name}}`: lists the variables, and fills in their values.
//!
//! Stored prompts use it. A value is never parsed as a template again.

/// The names of a template's variables, each once, in order of appearance.
pub(super) fn variables(template: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in pieces(template) {
        if let Piece::Variable(name) = piece
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// The text with all variables filled in, or the names of the missing ones. Values are not searched
/// for variables.
pub(super) fn fill<'a>(
    template: &'a str,
    value: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, Vec<String>> {
    let mut text = String::with_capacity(template.len());
    let mut missing = Vec::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Variable(name) => match value(name) {
                Some(value) => text.push_str(value),
                None => missing.push(name.to_owned()),
            },
        }
    }
    missing.sort();
    missing.dedup();
    if missing.is_empty() { Ok(text) } else { Err(missing) }
}

enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Splits a template. Braces that hold no valid name are plain text.
fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let named = after.split_once("}}").map(|(name, rest)| (name.trim(), rest));
        match named.filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                pieces.push(Piece::Text(before));
                pieces.push(Piece::Variable(name));
                rest = after;
            }
            None => {
                pieces.push(Piece::Text(&rest[..before.len() + 2]));
                rest = after;
            }
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn is_name(name: &str) -> bool {
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    (1..=64).contains(&name.len()) && name.chars().all(legal)
}

#[cfg(test)]
mod tests {
    use super::{fill, variables};

    #[test]
    fn variables_are_filled_in_once() {
        let template = "Review {{ file }} for {{what}}; {{file}} {{}} {{no name}} {{ö}} }} {{open";
        assert_eq!(variables(template), ["file", "what"]);
        let value = |name: &str| match name {
            "file" => Some("{{what}}"),
            "what" => Some("bugs"),
            _ => None,
        };
        let filled = "Review {{what}} for bugs; {{what}} {{}} {{no name}} {{ö}} }} {{open";
        assert_eq!(fill(template, value), Ok(filled.to_owned()));
        assert_eq!(fill("{{b}} {{a}} {{b}}", |_| None), Err(vec!["a".into(), "b".into()]));
        assert_eq!(fill("🙂{{x}}🙂", |_| Some("→")), Ok("🙂→🙂".to_owned()));
    }
}
