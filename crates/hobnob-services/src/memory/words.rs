//! The well-known namespaces, and a guess which of them a text belongs to.
//!
//! Prompts suggest a namespace from here; any other works as well.

/// The well-known namespaces and what they are for.
pub(super) const WELL_KNOWN: [(&str, &str); 12] = [
    ("decisions", "what was decided, and why"),
    ("patterns", "ways of doing things that proved themselves"),
    ("learnings", "what was found out"),
    ("context", "what one has to know to understand the rest"),
    ("tech-debt", "what has to be put right one day"),
    ("blockers", "what stands in the way"),
    ("progress", "how far things are"),
    ("apis", "interfaces and how they are used"),
    ("config", "settings and environments"),
    ("security", "what keeps things safe"),
    ("performance", "what makes things fast or slow"),
    ("testing", "how things are tested"),
];

/// Words that hint at a namespace; the first one wins a tie.
const HINTS: [(&str, &[&str]); 12] = [
    ("decisions", &["decid", "decision", "chose", "choose", "instead of", "agreed", "we will use"]),
    ("blockers", &["blocked", "blocker", "waiting for", "cannot proceed", "stuck"]),
    ("tech-debt", &["tech debt", "technical debt", "workaround", "hack", "refactor", "clean up"]),
    ("security", &["security", "vulnerab", "auth", "permission", "encrypt", "secret"]),
    ("performance", &["performance", "slow", "fast", "latency", "throughput", "memory use"]),
    ("testing", &["test", "fixture", "coverage", "assert", "mock"]),
    ("apis", &["api", "endpoint", "request", "response", "route", "graphql"]),
    ("config", &["config", "setting", "environment variable", "flag", "port "]),
    ("patterns", &["pattern", "always", "convention", "best practice", "idiom"]),
    ("progress", &["progress", "finished", "completed", "done with", "next step", "milestone"]),
    ("learnings", &["learn", "turns out", "found out", "discovered", "realised", "realized"]),
    ("context", &["background", "context", "because the team", "history"]),
];

/// The namespace with the most hints in a text.
pub(super) fn suggested_namespace(text: &str) -> &'static str {
    let text = text.to_lowercase();
    let count = |words: &[&str]| words.iter().filter(|word| text.contains(**word)).count();
    let mut best = ("context", 0);
    for (name, words) in HINTS {
        let found = count(words);
        if best.1 < found {
            best = (name, found);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::{HINTS, WELL_KNOWN, suggested_namespace};

    #[test]
    fn every_namespace_can_be_suggested() {
        for (name, words) in HINTS {
            assert!(WELL_KNOWN.iter().any(|(known, _)| *known == name), "{name}");
            assert_eq!(suggested_namespace(words[0]), name);
        }
        assert_eq!(suggested_namespace("Important decision"), "decisions");
        assert_eq!(suggested_namespace(""), "context");
    }
}
