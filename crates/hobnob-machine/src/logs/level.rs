//! Words and numbers for levels, as programs write them.

use hobnob_policy::LogLevel;

/// The words of each level, in lower case.
const WORDS: [(LogLevel, &[&str]); 5] = [
    (LogLevel::Debug, &["trace", "debug", "verbose", "fine", "finer", "finest", "dbg"]),
    (LogLevel::Information, &["info", "information", "informational", "notice", "log", "default"]),
    (LogLevel::Warning, &["warn", "warning"]),
    (LogLevel::Error, &["error", "err", "severe", "failure"]),
    (
        LogLevel::Critical,
        &["crit", "critical", "fatal", "fault", "emerg", "emergency", "alert", "panic"],
    ),
];
const MAX_WORD_BYTES: usize = 13;

/// The level that a word means, in upper or lower case; `None` for any other word.
pub(crate) fn level_word(word: &str) -> Option<LogLevel> {
    if word.len() < 3 || MAX_WORD_BYTES < word.len() {
        return None;
    }
    let means = |words: &[&str]| words.iter().any(|it| it.eq_ignore_ascii_case(word));
    WORDS.iter().find(|(_, words)| means(words)).map(|(level, _)| *level)
}

/// The level of a severity of RFC 5424, 0 to 7; the journal uses the same numbers.
pub(crate) fn syslog_level(severity: u64) -> LogLevel {
    match severity {
        0..=2 => LogLevel::Critical,
        3 => LogLevel::Error,
        4 => LogLevel::Warning,
        5 | 6 => LogLevel::Information,
        _ => LogLevel::Debug,
    }
}
