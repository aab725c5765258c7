//! The words of granted commands: what fits, what does not, and what can never fit.

use proptest::prelude::*;

use crate::ArgvPattern;

fn fits(pattern: &[&str], words: &[&str]) -> bool {
    ArgvPattern::parse(pattern).unwrap().matches(words)
}

#[test]
fn patterns_fit_word_by_word() {
    for (pattern, words) in [
        (&["build"][..], &["build"][..]),
        (&[], &[]),
        (&["build", "*"], &["build", "src"]),
        (&["*"], &[""]),
        (&["*"], &["a b;c\n$(d)"]),
        (&["src/*.rs"], &["src/main.rs"]),
        (&["src/**"], &["src/a/b.rs"]),
        (&["src/**"], &["src/a/"]),
        (&["src/**/"], &["src/a/"]),
        (&["src/*/"], &["src/a/"]),
        (&["https://host/**"], &["https://host/"]),
        (&["/**"], &["/"]),
        (&["--jobs=*"], &["--jobs=4"]),
        (&["-*"], &["--anything"]),
        (&["-*"], &["operand"]),
        (&["..."], &[]),
        (&["log", "..."], &["log", "a", "b"]),
        (&["log", "-..."], &["log", "-p", "--", "a"]),
        (&[r"\*"], &["*"]),
        (&[r"\..."], &["..."]),
        (&[r"\-..."], &["-..."]),
        (&["{a,b}"], &["b"]),
    ] {
        assert!(fits(pattern, words), "{pattern:?} {words:?}");
    }
}

#[test]
fn patterns_do_not_fit_anything_else() {
    for (pattern, words) in [
        (&["build"][..], &[][..]),
        (&[], &["x"]),
        (&["build"], &["build", "x"]),
        (&["build"], &["Build"]),
        (&["build"], &["build "]),
        (&["*"], &["-x"]),
        (&["*"], &["-"]),
        (&["*"], &["a", "b"]),
        (&["*"], &["a\0b"]),
        (&["-..."], &["a\0b"]),
        (&["*.rs"], &["-x.rs"]),
        (&["{-x,a}"], &["-x"]),
        (&["[-]x"], &["-x"]),
        (&["src/*"], &["src/a/b"]),
        (&["src/*"], &["src/.."]),
        (&["src/**"], &["src/../../etc/passwd"]),
        // Beneath a folder is not the folder.
        (&["src/**"], &["src"]),
        (&["src/**"], &["src/"]),
        (&["src/**"], &["src//"]),
        (&["src/**"], &["src/."]),
        (&["src/**/"], &["src/./"]),
        (&["src/*"], &["src/"]),
        (&["{x,src/**}"], &["src/"]),
        (&["--file=src/**"], &["--file=src/"]),
        (&["--file=*"], &["--file=.."]),
        (&["--file=**"], &["--file=../x"]),
        (&["-I*"], &["-I.."]),
        (&["log", "..."], &["log", "a", "-p"]),
        (&["log", "..."], &["log", "a", "--", "b"]),
        (&["log", "-..."], &["show", "a"]),
        (&[r"\*"], &["a"]),
    ] {
        assert!(!fits(pattern, words), "{pattern:?} {words:?}");
    }
}

#[test]
fn wrong_patterns_are_named() {
    let long = "x".repeat(5000);
    let many = vec!["x"; 300];
    for (pattern, part) in [
        (&["...", "x"][..], "put it last"),
        (&["-...", "..."], "put it last"),
        (&["[a"], "[a"),
        (&["a\0b"], "NUL"),
        (&[long.as_str()], "4096"),
        (&many, "256"),
    ] {
        let problem = ArgvPattern::parse(pattern).unwrap_err();
        assert!(problem.contains(part), "{problem}");
    }
}

/// Words that look like anything a caller might try.
fn word() -> impl Strategy<Value = String> {
    "[-a.*?/{}\\[\\]\\\\\0 ;$=]{0,6}"
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 0..5)
}

proptest! {
    #[test]
    fn an_exact_pattern_fits_only_itself(
        these in prop::collection::vec("[-a.*?/{}\\[\\]\\\\ ;$=]{0,6}", 1..5),
        at in any::<prop::sample::Index>(),
        other in word(),
    ) {
        let pattern = ArgvPattern::parse(&ArgvPattern::exactly(&these)).unwrap();
        prop_assert!(pattern.matches(&these));
        let at = at.index(these.len());
        let mut those = these.clone();
        those[at] = other.clone();
        prop_assert_eq!(pattern.matches(&those), these == those);
        those.insert(at, other);
        prop_assert!(!pattern.matches(&those));
        prop_assert!(!pattern.matches(&these[1..]));
    }

    #[test]
    fn a_star_never_fits_an_option(option in "-.{0,8}", glob in "[a*?/.]{1,6}") {
        prop_assert!(!fits(&["*"], &[&option]));
        prop_assert!(!fits(&["..."], &["a", &option]));
        if let Ok(pattern) = ArgvPattern::parse(&[&glob]) {
            prop_assert!(!pattern.matches(&[&option]));
        }
    }

    #[test]
    fn words_are_never_split_or_joined(these in words()) {
        // As many stars as there are words, and no other number, can fit.
        let joined = these.join(" ");
        for count in 0..7_usize {
            let stars = ArgvPattern::parse(&vec!["-*"; count]).unwrap();
            let whole = !joined.contains('\0');
            prop_assert_eq!(stars.matches(&these), whole && count == these.len());
            prop_assert_eq!(stars.matches(&[&joined]), whole && count == 1);
        }
    }

    #[test]
    fn a_nul_never_fits(before in word(), after in word(), pattern in words()) {
        let evil = format!("{before}\0{after}");
        for pattern in [vec!["-*".to_owned()], vec!["-...".to_owned()], pattern] {
            if let Ok(pattern) = ArgvPattern::parse(&pattern) {
                prop_assert!(!pattern.matches(&[&evil]));
            }
        }
    }

    #[test]
    fn a_glob_never_leads_up(start in "[a/]{0,4}", end in "[a/]{0,4}") {
        let word = format!("{start}/../{end}");
        for glob in ["**", "a/**", "**/a", "{**,x}", "?*/**"] {
            prop_assert!(!fits(&[glob], &[&word]));
        }
    }

    #[test]
    fn any_pattern_is_read_or_refused(pattern in words(), these in words()) {
        if let Ok(pattern) = ArgvPattern::parse(&pattern) {
            let _ = pattern.matches(&these);
        }
    }
}
