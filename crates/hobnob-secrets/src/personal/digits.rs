//! The walk over the digits of a text: runs of groups, and the rules about windows within them.
//!
//! The scanner calls `run`. Windows are bounded in groups and digits, so the walk stays linear.

use std::ops::Range;

use crate::kind::PersonalData;
use crate::rule_match::RuleMatch;
use crate::scope::ScanScope;
use crate::text::{byte, digit, run_end};

use super::window::{self, Window, is_separator, windows};
use super::{card, iban, national, phone};

/// A rule about a few groups of digits.
type WindowRule = fn(&Window<'_>) -> Option<RuleMatch>;
/// A rule about one group of digits and the letters around it.
type GroupRule = fn(&str, &Range<usize>) -> Option<RuleMatch>;

const WINDOW_RULES: [(PersonalData, WindowRule); 7] = [
    (PersonalData::Card, card::find),
    (PersonalData::Phone, phone::find),
    (PersonalData::SocialSecurity, national::find_us),
    (PersonalData::NationalId, national::find_german),
    (PersonalData::NationalId, national::find_french),
    (PersonalData::NationalId, national::find_swiss),
    (PersonalData::NationalId, national::find_brazilian),
];
const GROUP_RULES: [(PersonalData, GroupRule); 4] = [
    (PersonalData::Iban, iban::find),
    (PersonalData::NationalId, national::find_british),
    (PersonalData::NationalId, national::find_spanish),
    (PersonalData::NationalId, national::find_italian),
];

/// Two groups with a longer separator belong to two numbers.
const MAX_SEPARATOR_BYTES: usize = 4;

/// Applies the rules in scope to every group of digits, and to every window of groups.
pub(crate) fn run(text: &str, scope: ScanScope, report: &mut impl FnMut(RuleMatch)) {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit) {
        read_run(text, at + next, &mut groups);
        for (_, rule) in GROUP_RULES.iter().filter(|(group, _)| scope.has(*group)) {
            groups.iter().filter_map(|group| rule(text, group)).for_each(&mut *report);
        }
        // Most numbers of a log are too short for what is looked for.
        let count: usize = groups.iter().map(Range::len).sum();
        if min_digits(scope) <= count {
            run_window_rules(text, &groups, scope, report);
        }
        at = groups.last().map_or(text.len(), |last| last.end);
    }
}

/// The digits that the shortest number in scope has.
fn min_digits(scope: ScanScope) -> usize {
    let only_cards =
        WINDOW_RULES.iter().all(|(group, _)| *group == PersonalData::Card || !scope.has(*group));
    if only_cards { card::MIN_DIGITS } else { window::MIN_DIGITS }
}

/// Reads the groups from the digit at `start` on that have only separators between them.
fn read_run(text: &str, start: usize, groups: &mut Vec<Range<usize>>) {
    groups.clear();
    let mut at = start;
    loop {
        let end = run_end(text, at, digit, text.len());
        groups.push(at..end);
        if byte(text, end).is_none_or(|it| it.is_ascii() && !is_separator(char::from(it))) {
            return;
        }
        let sign = text[end..].chars().take(MAX_SEPARATOR_BYTES).take_while(|it| is_separator(*it));
        let length: usize = sign.map(char::len_utf8).sum();
        at = end + length;
        if length == 0 || MAX_SEPARATOR_BYTES < length || !byte(text, at).is_some_and(digit) {
            return;
        }
    }
}

/// Applies each rule to the longest windows first, from left to right; its matches do not overlap.
fn run_window_rules(
    text: &str,
    groups: &[Range<usize>],
    scope: ScanScope,
    report: &mut impl FnMut(RuleMatch),
) {
    // A rule out of scope is never free.
    let mut free_from =
        WINDOW_RULES.map(|(group, _)| if scope.has(group) { 0 } else { usize::MAX });
    for from in 0..groups.len() {
        let mut windows = windows(text, groups, from);
        windows.reverse();
        for ((_, rule), free_from) in WINDOW_RULES.iter().zip(&mut free_from) {
            let open = windows.iter().filter(|_| *free_from <= from);
            let found = open.filter_map(|window| Some((window.end(), rule(window)?))).next();
            if let Some((to, rule_match)) = found {
                report(rule_match);
                *free_from = to;
            }
        }
    }
}
