//! Suggestions for a mistyped name, by edit distance.

/// The most names that one answer suggests.
const MAX_SUGGESTIONS: usize = 3;

/// Bounds on the names to compare and on their length; typing errors occur in short names.
const MAX_COMPARED: usize = 20_000;
const MAX_NAME_BYTES: usize = 200;

/// The names most similar to `wanted`, nearest first; names that differ too much are left out.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.is_empty() || wanted.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    let folded = wanted.to_lowercase();
    // The largest edit distance: two letters, and more in a long name.
    let limit = (folded.chars().count() / 4).clamp(2, 6);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names.into_iter().take(MAX_COMPARED).filter(|name| name.len() <= MAX_NAME_BYTES) {
        let other = name.to_lowercase();
        // A person who leaves the server out, or types only the end, means the whole name.
        let is_part = folded.len() >= 3 && other.ends_with(&folded);
        let distance = if is_part { 1 } else { distance(&folded, &other, limit) };
        if distance <= limit && name != wanted {
            found.push((distance, name));
        }
    }
    found.sort_unstable();
    // Next to a match with one wrong letter, much weaker matches are noise.
    let best = found.first().map_or(0, |(distance, _)| *distance);
    found.retain(|(distance, _)| *distance <= best + 1);
    found.dedup_by_key(|(_, name)| *name);
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// The suggestions as the end of a sentence; empty if there are none.
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let found: Vec<String> =
        nearest(wanted, names).iter().map(|name| format!("`{name}`")).collect();
    match found.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", found.join(" or ")),
    }
}

/// Edit distance: insertions, deletions, replacements, and swaps of neighbours. Names whose lengths differ by
/// more than the limit are too far apart to be compared.
fn distance(one: &str, other: &str, limit: usize) -> usize {
    match one.chars().count().abs_diff(other.chars().count()) <= limit {
        true => strsim::osa_distance(one, other),
        false => limit + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, nearest};

    const NAMES: [&str; 5] =
        ["mcp__good__echo", "mcp__good__count", "mcp__other__echo", "memory_recall", "tasks_next"];

    #[test]
    fn mistyped_names_find_what_was_meant() {
        for (wanted, found) in [
            ("mcp__good__ehco", &["mcp__good__echo"][..]),
            ("mcp__god__echo", &["mcp__good__echo"]),
            ("MCP__GOOD__ECHO", &["mcp__good__echo"]),
            ("memory_recal", &["memory_recall"]),
            ("echo", &["mcp__good__echo", "mcp__other__echo"]),
            ("task_nxt", &["tasks_next"]),
            ("something_else_altogether", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearest(wanted, NAMES), found, "{wanted}");
        }
    }

    #[test]
    fn the_hint_is_the_end_of_a_sentence() {
        assert_eq!(did_you_mean("tasks_nex", NAMES), "; did you mean `tasks_next`?");
        assert_eq!(did_you_mean("nothing at all like it", NAMES), "");
        assert_eq!(did_you_mean(&"x".repeat(1000), NAMES), "");
    }
}
