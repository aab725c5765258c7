//! The small globs over names of tools and servers: `*` for any run of characters, `?` for one.
//!
//! Filters of servers and rows of profiles use them; permission rules have richer ones of their own.
//! Matching takes at most the product of both lengths, whatever the pattern.

/// Whether the whole name fits the pattern. Everything but `*` and `?` stands for itself.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at_pattern, mut at_name) = (0, 0);
    // The last star, and how much of the name it has taken: only that one is ever tried again.
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

/// Whether the text stands for more than itself.
pub(crate) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// How much of a pattern is fixed: of two that match, the larger is the more specific.
pub(crate) fn specificity(pattern: &str) -> (bool, usize) {
    let fixed = pattern.chars().filter(|it| !matches!(it, '*' | '?')).count();
    (!is_glob(pattern), fixed)
}
