//! The pass over the digits of a text: runs of digit groups, and the rules on windows of a run.
//!
//! The scanner calls `run`. Windows are bounded in groups and digits, so the pass stays linear.

use std::ops::Range;

use crate::kind::PersonalData;
use crate::rule_match::RuleMatch;
use crate::scope::ScanScope;
use crate::text::{byte, digit, run_end};

use super::window::{self, Window, is_separator, windows};
use super::{card, iban, national, phone};

/// A rule on a window of digit groups.
type WindowRule = fn(&Window<'_>) -> Option<RuleMatch>;
/// A rule on one group of digits and the letters around it.
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

/// Groups with a longer separator belong to different numbers.
const MAX_SEPARATOR_BYTES: usize = 4;

/// Runs the rules in scope on every group of digits, and on every window of groups.
pub(crate) fn run(text: &str, scope: ScanScope, report: &mut impl FnMut(RuleMatch)) {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit) {
        read_run(text, at + next, &mut groups);
        for (_, rule) in GROUP_RULES.iter().filter(|(group, _)| scope.has(*group)) {
            groups.iter().filter_map(|group| rule(text, group)).for_each(&mut *report);
        }
        // Most numbers of a log are too short for any rule.
        let count: usize = groups.iter().map(Range::len).sum();
        if min_digits(scope) <= count {
            run_window_rules(text, &groups, scope, report);
        }
        at = groups.last().map_or(text.len(), |last| last.end);
    }
}

/// The number of digits of the shortest number in scope.
fn min_digits(scope: ScanScope) -> usize {
    let only_cards =
        WINDOW_RULES.iter().all(|(group, _)| *group == PersonalData::Card || !scope.has(*group));
    if only_cards { card::MIN_DIGITS } else { window::MIN_DIGITS }
}

/// Reads the run of groups that starts with the digit at `start`, with only separators between.
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

/// Runs each rule from left to right, longest windows first; its matches do not overlap.
fn run_window_rules(
    text: &str,
    groups: &[Range<usize>],
    scope: ScanScope,
    report: &mut impl FnMut(RuleMatch),
) {
    // A rule out of scope never starts.
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
