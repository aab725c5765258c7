//! Names: a table, and what must hold for every pair.

use super::{MAX_LENGTH, MAX_SHORT_LENGTH, public_name, short_name};
use proptest::prelude::*;

#[test]
fn plain_pairs_keep_their_words() {
    let cases = [
        ("github", "create_issue", "mcp__github__create_issue"),
        ("my-server", "a-b_c", "mcp__my-server__a-b_c"),
        ("a_b", "c__d", "mcp__a_b__c__d"),
        ("_a", "t_", "mcp___a__t_"),
        ("s", "t", "mcp__s__t"),
        ("s", "build_DEADBEEF", "mcp__s__build_DEADBEEF"),
        ("s", "build_1234567", "mcp__s__build_1234567"),
    ];
    for (server, tool, expected) in cases {
        assert_eq!(public_name(server, tool).as_str(), expected);
    }
    let longest = "t".repeat(MAX_LENGTH - "mcp__s__".len());
    assert_eq!(public_name("s", &longest).as_str(), format!("mcp__s__{longest}"));
}

#[test]
fn short_names_lose_their_head_and_their_length() {
    let longest = "t".repeat(MAX_SHORT_LENGTH - "s__".len());
    for (server, tool, expected) in [
        ("github", "create_issue", "github__create_issue"),
        ("s", longest.as_str(), &*format!("s__{longest}")),
    ] {
        let short = short_name(public_name(server, tool).as_str());
        assert_eq!(short.as_deref(), Some(expected));
    }
    // A name that looks cut is hashed, like names that are cut.
    let looks_cut = format!("{}_deadbee1", "t".repeat(MAX_SHORT_LENGTH - "s__".len() - 9));
    for tool in [&*looks_cut, &*format!("{longest}x"), &*"t".repeat(200)] {
        let public = public_name("s", tool);
        let short = short_name(public.as_str()).unwrap();
        assert_eq!(short.len(), MAX_SHORT_LENGTH, "{short}");
        assert_ne!(Some(&*short), public.as_str().strip_prefix("mcp__"));
        assert_eq!(short_name(public.as_str()), Some(short), "the same every time");
    }
    assert_eq!(short_name("memory_recall"), None);
}

#[test]
fn other_pairs_get_a_hash() {
    let long = "t".repeat(MAX_LENGTH);
    let cases = [
        ("s", "files.read", "mcp__s__files_read_"),
        ("my server", "t", "mcp__my_server__t_"),
        ("a__b", "c", "mcp__a__b__c_"),
        ("a_", "b", "mcp__a___b_"),
        ("a", "_b", "mcp__a___b_"),
        ("a", "", "mcp__a___"),
        ("", "a", "mcp____a_"),
        ("größe", "t", "mcp__gr__e__t_"),
        ("s", "build_deadbeef", "mcp__s__build_deadbeef_"),
        ("s", "deadbeef", "mcp__s__deadbeef_"),
        ("s", long.as_str(), "mcp__s__ttttttt"),
        (
            "a-server-with-a-name-that-is-far-too-long-for-this",
            "tool_with_more_words",
            "mcp__a-server-with-a-name__tool_with_more_words_",
        ),
    ];
    for (server, tool, expected) in cases {
        let name = public_name(server, tool);
        assert!(name.as_str().starts_with(expected), "{server:?} {tool:?}: {name}");
        let hash = &name.as_str()[name.as_str().len() - 8..];
        assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        assert!(name.as_str().len() <= MAX_LENGTH);
    }
}

#[test]
fn look_alikes_differ() {
    let groups: [&[(&str, &str)]; 4] = [
        &[("a", "b__c"), ("a__b", "c"), ("a_", "_b__c"), ("a", "_b__c"), ("a_", "b__c")],
        &[("my server", "t"), ("my.server", "t"), ("my_server", "t"), ("my-server", "t")],
        &[("s", "a.b"), ("s", "a/b"), ("s", "a_b"), ("s", "a b")],
        &[("a", ""), ("", "a"), ("a_", ""), ("", "_a")],
    ];
    for group in groups {
        for (index, one) in group.iter().enumerate() {
            for other in &group[index + 1..] {
                assert_ne!(
                    public_name(one.0, one.1),
                    public_name(other.0, other.1),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn a_tool_cannot_take_the_hashed_name_of_another() {
    let victim = public_name("s", "files.read");
    let copied = victim.as_str().strip_prefix("mcp__s__").unwrap();
    assert_ne!(public_name("s", copied), victim);
    let nameless = public_name("s", "");
    let digits = nameless.as_str().strip_prefix("mcp__s___").unwrap();
    assert_ne!(public_name("s", digits), nameless);
    assert_ne!(public_name("s", &format!("_{digits}")), nameless);
}

/// Few letters, so that look-alikes are common.
fn part() -> impl Strategy<Value = String> {
    prop_oneof!["[ab_]{0,6}", "[a_. ]{0,4}", "[a-z_]{0,70}", "[^\\x00]{0,12}", "[a-f0-9_]{7,9}"]
}

proptest! {
    #[test]
    fn different_names_have_different_short_ones(
        one in "[a-f_]{40,60}", other in "[a-f_]{40,60}", digits in "[0-9a-f]{8}",
    ) {
        // Names that end like a hash are the ones that could collide.
        let names = [format!("mcp__{one}"), format!("mcp__{other}"), format!("mcp__{}_{digits}", &one[..39])];
        for (at, first) in names.iter().enumerate() {
            for second in names[at + 1..].iter().filter(|it| *it != first) {
                prop_assert_ne!(short_name(first), short_name(second));
            }
        }
    }

    #[test]
    fn names_are_legal_and_always_the_same(server in part(), tool in part()) {
        let name = public_name(&server, &tool);
        prop_assert!((1..=MAX_LENGTH).contains(&name.as_str().len()));
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        prop_assert!(name.as_str().bytes().all(legal));
        prop_assert_eq!(name, public_name(&server, &tool));
    }

    #[test]
    fn different_pairs_have_different_names(a in (part(), part()), b in (part(), part())) {
        prop_assume!(a != b);
        prop_assert_ne!(public_name(&a.0, &a.1), public_name(&b.0, &b.1));
    }

    #[test]
    fn moving_the_border_changes_the_name(text in "[ab_]{1,10}", one in 0usize..10, two in 0usize..10) {
        let (one, two) = (one.min(text.len()), two.min(text.len()));
        prop_assume!(one != two);
        let (a, b) = (text.split_at(one), text.split_at(two));
        prop_assert_ne!(public_name(a.0, a.1), public_name(b.0, b.1));
    }
}
