//! The intent of a query and of a tool, as far as one verb tells, so that "which boards are there"
//! prefers `list_boards` to `delete_board`, although both names have the same other words.
//!
//! What must stay true: a tool or a query without a known verb is neither preferred nor demoted.

/// What is done with the objects that the other words name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    Read,
    Create,
    Change,
    Delete,
}

const READ: &[&str] = &[
    "browse", "check", "count", "describe", "display", "download", "explain", "extract", "fetch",
    "find", "get", "inspect", "list", "look", "lookup", "open", "query", "read", "retrieve",
    "search", "see", "show", "tell", "view",
];
const CREATE: &[&str] = &[
    "add", "append", "attach", "capture", "compose", "create", "draft", "draw", "file", "generate",
    "insert", "invite", "make", "memorise", "memorize", "new", "open", "post", "put", "raise",
    "remember", "send", "start", "upload", "write",
];
const CHANGE: &[&str] = &[
    "adjust",
    "alter",
    "assign",
    "change",
    "edit",
    "fix",
    "mark",
    "modify",
    "move",
    "patch",
    "rename",
    "replace",
    "resize",
    "set",
    "shift",
    "switch",
    "transition",
    "update",
];
const DELETE: &[&str] = &[
    "archive",
    "cancel",
    "clear",
    "delete",
    "destroy",
    "detach",
    "discard",
    "drop",
    "erase",
    "forget",
    "kick",
    "kill",
    "purge",
    "remove",
    "rid",
    "stop",
    "throw",
    "uninstall",
    "unsubscribe",
    "unwatch",
    "wipe",
];

/// Verbs that mean something else together with the next word.
const PHRASES: &[([&str; 2], Intent)] = &[
    (["clean", "up"], Intent::Delete),
    (["find", "out"], Intent::Read),
    (["in", "mind"], Intent::Create),
    (["get", "rid"], Intent::Delete),
    (["kick", "off"], Intent::Create),
    (["kick", "out"], Intent::Delete),
    (["look", "for"], Intent::Read),
    (["look", "up"], Intent::Read),
    (["never", "forget"], Intent::Create),
    (["not", "forget"], Intent::Create),
    (["put", "away"], Intent::Delete),
    (["set", "up"], Intent::Create),
    (["t", "forget"], Intent::Create),
    (["take", "away"], Intent::Delete),
    (["take", "off"], Intent::Delete),
    (["take", "out"], Intent::Delete),
    (["throw", "away"], Intent::Delete),
    (["throw", "out"], Intent::Delete),
    (["turn", "off"], Intent::Change),
    (["turn", "on"], Intent::Change),
    (["write", "down"], Intent::Create),
];

/// Words that begin a question.
const QUESTIONS: &[&str] = &[
    "are", "did", "do", "does", "has", "have", "how", "is", "was", "were", "what", "when", "where",
    "which", "who", "whose", "why",
];

impl Intent {
    /// The intent of a tool with these name parts: that of the first known verb.
    pub(crate) fn of_name(parts: &[String]) -> Option<Self> {
        parts.iter().find_map(|part| Self::of_verb(part))
    }

    /// The intent of a query: a question wants to read, otherwise the first known verb decides.
    pub(crate) fn of_query(parts: &[String]) -> Option<Self> {
        let first = parts.first()?;
        if QUESTIONS.contains(&first.as_str()) {
            return Some(Self::Read);
        }
        let verb = |at: usize| Self::of_phrase(&parts[at..]).or_else(|| Self::of_verb(&parts[at]));
        (0..parts.len()).find_map(verb)
    }

    fn of_phrase(parts: &[String]) -> Option<Self> {
        let [first, second, ..] = parts else { return None };
        let found = PHRASES.iter().find(|(phrase, _)| phrase[0] == first && phrase[1] == second);
        found.map(|(_, intent)| *intent)
    }

    fn of_verb(part: &str) -> Option<Self> {
        let lists = [
            (Self::Delete, DELETE),
            (Self::Change, CHANGE),
            (Self::Create, CREATE),
            (Self::Read, READ),
        ];
        lists.into_iter().find(|(_, verbs)| verbs.contains(&part)).map(|(intent, _)| intent)
    }
}

#[cfg(test)]
mod tests {
    use super::Intent;
    use crate::words::parts;

    #[test]
    fn a_query_and_a_name_tell_what_is_done() {
        let cases = [
            ("which boards are there", Some(Intent::Read)),
            ("how do I delete a board", Some(Intent::Read)),
            ("delete the board", Some(Intent::Delete)),
            ("please remove it", Some(Intent::Delete)),
            ("get rid of the board", Some(Intent::Delete)),
            ("look up the board", Some(Intent::Read)),
            ("set up a board", Some(Intent::Create)),
            ("make a board", Some(Intent::Create)),
            ("rename it", Some(Intent::Change)),
            ("don't forget the board", Some(Intent::Create)),
            ("keep in mind that we delete boards", Some(Intent::Create)),
            ("the board", None),
            ("", None),
        ];
        for (query, expected) in cases {
            assert_eq!(Intent::of_query(&parts(query)), expected, "{query}");
        }
        let names = [
            ("list_boards", Some(Intent::Read)),
            ("board-delete", Some(Intent::Delete)),
            ("createBoard", Some(Intent::Create)),
            ("API-patch-page", Some(Intent::Change)),
            ("boards", None),
        ];
        for (name, expected) in names {
            assert_eq!(Intent::of_name(&parts(name)), expected, "{name}");
        }
    }
}
