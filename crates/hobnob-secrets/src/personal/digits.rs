//! The walk over the digits of a text: runs of groups, and the rules about windows within them.
//!
//! The scanner calls `run`. Windows are bounded in groups and digits, so the walk stays linear.

use std::ops::Range;

use crate::rule_match::RuleMatch;
use crate::text::{byte, digit, run_end};

use super::window::{Window, is_separator, windows};
use super::{card, iban, national, phone};

/// A rule about a few groups of digits.
type WindowRule = fn(&Window<'_>) -> Option<RuleMatch>;
/// A rule about one group of digits and the letters around it.
type GroupRule = fn(&str, &Range<usize>) -> Option<RuleMatch>;

const WINDOW_RULES: [WindowRule; 7] = [
    card::find,
    phone::find,
    national::find_us,
    national::find_german,
    national::find_french,
    national::find_swiss,
    national::find_brazilian,
];
const GROUP_RULES: [GroupRule; 4] =
    [iban::find, national::find_british, national::find_spanish, national::find_italian];

/// Two groups with a longer separator belong to two numbers.
const MAX_SEPARATOR_BYTES: usize = 4;

/// Applies the rules to every group of digits, and to every window of groups.
pub(crate) fn run(text: &str, report: &mut impl FnMut(RuleMatch)) {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit) {
        read_run(text, at + next, &mut groups);
        let matches = groups.iter().flat_map(|it| GROUP_RULES.map(|rule| rule(text, it)));
        matches.flatten().for_each(&mut *report);
        run_window_rules(text, &groups, report);
        at = groups.last().map_or(text.len(), |last| last.end);
    }
}

/// Reads the groups from the digit at `start` on that have only separators between them.
fn read_run(text: &str, start: usize, groups: &mut Vec<Range<usize>>) {
    groups.clear();
    let mut at = start;
    loop {
        let end = run_end(text, at, digit, text.len());
        groups.push(at..end);
        let sign = text[end..].chars().take(MAX_SEPARATOR_BYTES).take_while(|it| is_separator(*it));
        let length: usize = sign.map(char::len_utf8).sum();
        at = end + length;
        if length == 0 || MAX_SEPARATOR_BYTES < length || !byte(text, at).is_some_and(digit) {
            return;
        }
    }
}

/// Applies each rule to the longest windows first, from left to right; its matches do not overlap.
fn run_window_rules(text: &str, groups: &[Range<usize>], report: &mut impl FnMut(RuleMatch)) {
    let mut free_from = [0; WINDOW_RULES.len()];
    for from in 0..groups.len() {
        let mut windows = windows(text, groups, from);
        windows.reverse();
        for (rule, free_from) in WINDOW_RULES.iter().zip(&mut free_from) {
            let open = windows.iter().filter(|_| *free_from <= from);
            let found = open.filter_map(|window| Some((window.end(), rule(window)?))).next();
            if let Some((to, rule_match)) = found {
                report(rule_match);
                *free_from = to;
            }
        }
    }
}
