//! The shape of a word in a query: a URL, a file, a channel, a ticket number.
//!
//! `query` reads each word with it. What must stay true: a plain word has no shape, and the word
//! added for a shape is one that tools of any server may use.

/// Top-level domains of sites that people type without `https://`.
const SITES: &[&str] = &[
    "ai", "app", "at", "ch", "co", "com", "de", "dev", "edu", "eu", "fr", "gov", "info", "io",
    "net", "org", "uk",
];

/// File extensions, each with the kind of file.
const FILES: &[(&str, &str)] = &[
    ("bmp", "image"),
    ("c", "file"),
    ("cfg", "file"),
    ("conf", "file"),
    ("cpp", "file"),
    ("css", "file"),
    ("csv", "csv"),
    ("doc", "document"),
    ("docx", "document"),
    ("gif", "image"),
    ("go", "file"),
    ("h", "file"),
    ("html", "file"),
    ("ini", "file"),
    ("java", "file"),
    ("jpeg", "image"),
    ("jpg", "image"),
    ("js", "file"),
    ("json", "file"),
    ("log", "file"),
    ("md", "file"),
    ("mp3", "audio"),
    ("mp4", "video"),
    ("pdf", "pdf"),
    ("png", "image"),
    ("pptx", "presentation"),
    ("py", "file"),
    ("rs", "file"),
    ("sh", "file"),
    ("sql", "query"),
    ("svg", "image"),
    ("toml", "file"),
    ("ts", "file"),
    ("txt", "file"),
    ("xls", "spreadsheet"),
    ("xlsx", "spreadsheet"),
    ("xml", "file"),
    ("yaml", "file"),
    ("yml", "file"),
];

/// What the shape of a word tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordShape {
    /// Only a word, without a special shape.
    Plain,
    /// Replaced by this kind; its own letters say nothing more.
    Instead(&'static str),
    /// This kind, in addition to its own letters.
    Beside(&'static str),
}

impl WordShape {
    /// The shape of a word as typed, ignoring the punctuation around it.
    pub(crate) fn of(typed: &str) -> Self {
        let opening = |letter: char| "\"'(<[`".contains(letter);
        let closing = |letter: char| "\"')>]`.,;:!?".contains(letter);
        let word = typed.trim_start_matches(opening).trim_end_matches(closing);
        if word.contains("://") || word.starts_with("www.") {
            return Self::Instead("website");
        }
        if let Some(rest) = word.strip_prefix('#') {
            return match rest.chars().next() {
                Some(first) if first.is_ascii_digit() => Self::Instead("issue"),
                Some(first) if first.is_alphabetic() => Self::Beside("channel"),
                _ => Self::Plain,
            };
        }
        if word.len() > 1 && word.starts_with('@') {
            return Self::Beside("user");
        }
        if is_ticket(word) {
            return Self::Instead("issue");
        }
        let Some((name, end)) = word.rsplit_once('.') else { return Self::Plain };
        if name.is_empty() || name.ends_with('.') {
            return Self::Plain;
        }
        if name.contains('@') {
            return Self::Instead("email");
        }
        let end = end.to_ascii_lowercase();
        let file = FILES.iter().find(|(known, _)| *known == end);
        match file {
            Some((_, what)) => Self::Beside(what),
            None if SITES.contains(&end.as_str()) => Self::Instead("website"),
            None => Self::Plain,
        }
    }
}

/// Prefixes of names with a number that are no tickets: `UTF-8`.
const STANDARDS: &[&str] = &["AES", "CVE", "ES", "GPT", "ISO", "MP", "RFC", "SHA", "UTF"];

/// Whether the word is a ticket key of an issue tracker, such as `PROJ-42`.
fn is_ticket(word: &str) -> bool {
    let Some((project, number)) = word.split_once('-') else { return false };
    (2..=10).contains(&project.len())
        && !STANDARDS.contains(&project)
        && project.bytes().all(|letter| letter.is_ascii_uppercase())
        && !number.is_empty()
        && number.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::WordShape;

    #[test]
    fn words_are_told_apart_by_their_form() {
        let cases = [
            ("word", WordShape::Plain),
            ("word.", WordShape::Plain),
            ("e.g.", WordShape::Plain),
            ("3.5", WordShape::Plain),
            ("...", WordShape::Plain),
            ("#", WordShape::Plain),
            ("@", WordShape::Plain),
            ("well-known", WordShape::Plain),
            ("https://example.org/a", WordShape::Instead("website")),
            ("example.com", WordShape::Instead("website")),
            ("(example.com),", WordShape::Instead("website")),
            ("ada@example.com", WordShape::Instead("email")),
            ("notes.md", WordShape::Beside("file")),
            ("src/main.rs", WordShape::Beside("file")),
            ("figures.XLSX", WordShape::Beside("spreadsheet")),
            ("#general", WordShape::Beside("channel")),
            ("#42", WordShape::Instead("issue")),
            ("@ada", WordShape::Beside("user")),
            ("PROJ-42", WordShape::Instead("issue")),
            ("UTF-8", WordShape::Plain),
        ];
        for (word, expected) in cases {
            assert_eq!(WordShape::of(word), expected, "{word}");
        }
    }
}
