//! Invariants for any text: boundaries, order, no value left behind, no mark found again.

use fastrand::Rng;
use hobnob_secrets::{Family, Finding, FindingKind, PersonalData, ScanScope, Scanner};

use crate::corpus;
use crate::labelled::Case;

fn everything() -> Scanner {
    Scanner::new(ScanScope::default().with(PersonalData::NationalId))
}

/// Checks all invariants of one scan.
fn check(scanner: &Scanner, text: &str) {
    let findings = scanner.scan(text);
    let mut end = 0;
    for Finding { range, line, column, .. } in &findings {
        assert!(end <= range.start && range.start < range.end, "{range:?} in {text:?}");
        let before = &text[..range.start];
        assert!(text.is_char_boundary(range.end), "{range:?} in {text:?}");
        assert_eq!(*line, 1 + before.matches('\n').count(), "{text:?}");
        let last_line = before.rsplit('\n').next().unwrap();
        assert_eq!(*column, 1 + last_line.chars().count(), "{text:?}");
        end = range.end;
    }
    check_redaction(scanner, text, &findings);
}

fn check_redaction(scanner: &Scanner, text: &str, findings: &[Finding]) {
    let (redacted, redactions) = scanner.redact(text);
    assert_eq!(findings, redactions);
    let mut marks = Vec::new();
    let mut expected = String::new();
    let mut copied = 0;
    for finding in findings {
        expected.push_str(&text[copied..finding.range.start]);
        let start = expected.len();
        expected.push_str(&format!("[redacted: {}]", finding.kind.label()));
        marks.push(start..expected.len());
        copied = finding.range.end;
    }
    expected.push_str(&text[copied..]);
    assert_eq!(redacted, expected);
    for again in scanner.scan(&redacted) {
        let overlaps = |mark: &std::ops::Range<usize>| {
            again.range.start < mark.end && mark.start < again.range.end
        };
        assert!(!marks.iter().any(overlaps), "{again:?} in {redacted:?} of {text:?}");
    }
}

/// Split in two, so that secret scanners do not report this source file.
fn github_token() -> String {
    ["ghp_", "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"].concat()
}

fn all_cases() -> Vec<Case> {
    corpus::positives().into_iter().chain(corpus::negatives()).chain(corpus::held_out()).collect()
}

#[test]
fn promises_hold_for_the_corpus() {
    let scanner = everything();
    for case in all_cases() {
        check(&scanner, &case.text);
        let (redacted, findings) = scanner.redact(&case.text);
        for finding in findings {
            let value = &case.text[finding.range];
            assert!(!redacted.contains(value), "{}: {value:?} in {redacted:?}", case.place);
        }
    }
}

#[test]
fn promises_hold_for_mutated_texts() {
    const SPICE: [&str; 24] = [
        "🔑",
        "é",
        "密码",
        "\u{202e}",
        "\u{0}",
        "\n",
        "\r\n",
        "\"",
        "'",
        "`",
        "=",
        ":",
        " ",
        "-----",
        "@",
        "://",
        "password",
        "token=",
        "[redacted: ",
        "]",
        "\\",
        "+",
        "ﬁ",
        "\u{1f468}\u{200d}\u{1f469}",
    ];
    let scanner = everything();
    let cases = all_cases();
    let mut random = Rng::with_seed(4);
    for _ in 0..6000 {
        let mut text: Vec<char> = random.choice(&cases).unwrap().text.chars().collect();
        for _ in 0..random.usize(1..5) {
            let at = random.usize(..=text.len());
            match random.u8(..4) {
                0 => drop(text.drain(at..text.len().min(at + random.usize(..6)))),
                1 => drop(text.splice(at..at, random.choice(SPICE).unwrap().chars())),
                2 => text.insert(at, random.char(..)),
                _ => {
                    let other = &random.choice(&cases).unwrap().text;
                    drop(text.splice(at..at, other.chars()));
                }
            }
        }
        check(&scanner, &text.into_iter().collect::<String>());
    }
}

#[test]
fn promises_hold_for_random_texts() {
    let scanner = everything();
    let mut random = Rng::with_seed(5);
    for _ in 0..3000 {
        let length = random.usize(..200);
        let any: String = (0..length).map(|_| random.char(..)).collect();
        let ascii: String = (0..length).map(|_| random.char(' '..'\u{7f}')).collect();
        let signs = b"0123456789+-. ()/DE";
        let sign = |random: &mut Rng| char::from(*random.choice(signs).unwrap());
        let digits: String = (0..length).map(|_| sign(&mut random)).collect();
        for text in [any, ascii, digits] {
            check(&scanner, &text);
        }
    }
}

#[test]
fn only_what_is_in_scope_is_found() {
    let text = format!(
        "token {}, mail jo@doe.dev, tel +49 30 901820, card 4111 1111 1111 1111, \
         DE89 3704 0044 0532 0130 00, ssn 536-22-8726",
        github_token()
    );
    let kinds = |scope: ScanScope| -> Vec<FindingKind> {
        Scanner::new(scope).scan(&text).into_iter().map(|it| it.kind).collect()
    };
    use FindingKind::{Email, GithubToken, Iban, PaymentCard, Phone, UsSocialSecurity};
    let default = [GithubToken, Email, Phone, PaymentCard, Iban, UsSocialSecurity];
    assert_eq!(kinds(ScanScope::default()), default);
    assert_eq!(kinds(ScanScope::secrets()), [GithubToken]);
    assert_eq!(kinds(ScanScope::secrets().with(PersonalData::Card)), [GithubToken, PaymentCard]);
    assert_eq!(
        kinds(ScanScope::default().without(PersonalData::Mail)),
        [default[0], Phone, PaymentCard, Iban, UsSocialSecurity]
    );
    let without = ScanScope::default().without(PersonalData::SocialSecurity);
    assert_eq!(kinds(without), default[..5]);
}

/// Writes a value in another way that looks the same.
type Disguise = Box<dyn Fn(&str) -> String>;

/// Invisible characters between, or look-alikes in place of, a value's characters.
#[test]
fn a_disguised_value_is_found_whole() {
    let between = |piece: &'static str| {
        move |value: &str| value.chars().map(|it| format!("{it}{piece}")).collect::<String>()
    };
    let disguises: [(&str, Disguise); 9] = [
        ("zero-width space", Box::new(between("\u{200b}"))),
        ("word joiner", Box::new(between("\u{2060}"))),
        ("soft hyphen", Box::new(between("\u{ad}"))),
        ("combining mark", Box::new(between("\u{301}"))),
        ("variation selector", Box::new(between("\u{fe0f}"))),
        ("bidi control", Box::new(between("\u{202e}"))),
        ("full width", Box::new(|value: &str| shifted(value, 0xfee0))),
        ("tags", Box::new(|value: &str| shifted(value, 0xe_0000))),
        ("homoglyphs", Box::new(|value: &str| value.replace('A', "А").replace('P', "Р"))),
    ];
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    for (name, disguise) in &disguises {
        for (value, kind) in
            [(key.as_str(), FindingKind::AwsAccessKeyId), ("jo@doe.dev", FindingKind::Email)]
        {
            let disguised = disguise(value);
            if disguised == value {
                continue;
            }
            let text = format!("für {disguised} 🔑");
            let found = Scanner::default().scan(&text);
            let kinds: Vec<FindingKind> = found.iter().map(|it| it.kind).collect();
            assert_eq!(kinds, [kind], "{name} of {value}");
            // An invisible character after the last one may stay: it reveals nothing.
            let hidden = &text[found[0].range.clone()];
            assert!(disguised.starts_with(hidden), "{name}: {hidden:?}");
            assert!(disguised.len() - hidden.len() <= 3, "{name}: {hidden:?}");
            assert_eq!(Scanner::default().scan(&Scanner::default().redact(&text).0), []);
        }
    }
}

fn shifted(value: &str, by: u32) -> String {
    value.chars().map(|it| char::from_u32(u32::from(it) + by).unwrap()).collect()
}

#[test]
fn columns_are_counted_in_characters() {
    let text = "ключ 🔑\nπ: jo@doe.dev\r\n  tel +49 30 901820";
    let places: Vec<_> =
        Scanner::default().scan(text).iter().map(|it| (it.kind, it.line, it.column)).collect();
    assert_eq!(places, [(FindingKind::Email, 2, 4), (FindingKind::Phone, 3, 7)]);
}

#[test]
fn the_most_specific_kind_wins_and_nothing_stays_behind() {
    let token = github_token();
    let cases = [
        (format!("password: {token}"), "password: [redacted: github token]"),
        (format!("API_TOKEN=\"x9-{token}-Zq7\""), "API_TOKEN=\"[redacted: github token]\""),
        (
            format!("https://me:{token}@github.com/a"),
            "https://me:[redacted: github token]@github.com/a",
        ),
        (
            format!("Authorization: Bearer {token}"),
            "Authorization: Bearer [redacted: github token]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Scanner::default().redact(&text).0, expected);
    }
}

#[test]
fn kinds_have_distinct_labels() {
    let mut labels: Vec<&str> = FindingKind::ALL.iter().map(|it| it.label()).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), FindingKind::ALL.len());
    assert_eq!(FindingKind::Iban.family(), Family::Personal);
    assert_eq!(FindingKind::Jwt.family(), Family::Secret);
}
