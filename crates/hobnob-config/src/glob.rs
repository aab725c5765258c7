//! Simple globs over names of tools and servers: `*` matches any characters, `?` matches one.
//!
//! Filters of servers and rows of profiles use them; permission rules have richer ones of their
//! own. Matching any pattern takes at most the product of both lengths.

/// Whether the whole name matches the pattern. Only `*` and `?` are special.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at_pattern, mut at_name) = (0, 0);
    // The last star, and how much of the name it has taken: backtracking only ever returns to it.
    let mut star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match pattern.get(at_pattern) {
            Some('*') => {
                star = Some((at_pattern, at_name));
                at_pattern += 1;
            }
            Some(it) if *it == '?' || *it == name[at_name] => {
                at_pattern += 1;
                at_name += 1;
            }
            _ => {
                let Some((back, taken)) = star else { return false };
                star = Some((back, taken + 1));
                at_pattern = back + 1;
                at_name = taken + 1;
            }
        }
    }
    pattern[at_pattern..].iter().all(|it| *it == '*')
}

/// Whether the text contains wildcards.
pub(crate) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// How much of a pattern is literal: of two patterns that match, the larger one is more specific.
pub(crate) fn specificity(pattern: &str) -> (bool, usize) {
    let fixed = pattern.chars().filter(|it| !matches!(it, '*' | '?')).count();
    (!is_glob(pattern), fixed)
}
