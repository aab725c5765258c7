//! Headers as servers send them, and malformed ones.

use super::{AuthChallenge, parse_challenges};

/// Challenges as `scheme name=value|name=value`.
fn shown(values: &[&str]) -> Vec<String> {
    let all = parse_challenges(values.iter().copied());
    let one = |it: &AuthChallenge| {
        let pairs: Vec<_> = it.parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        format!("{} {}", it.scheme, pairs.join("|")).trim().to_owned()
    };
    all.iter().map(one).collect()
}

#[test]
fn challenges_are_read_in_every_form_that_the_grammar_has() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["Bearer"], &["bearer"]),
        (
            &[r#"Bearer scope="a b", resource_metadata="https://a/b?c=d,e""#],
            &["bearer scope=a b|resource_metadata=https://a/b?c=d,e"],
        ),
        (
            &[r#"BEARER Error = "insufficient_scope" ,SCOPE=x"#],
            &["bearer error=insufficient_scope|scope=x"],
        ),
        (
            &[r#"Basic realm="a, b", Bearer error="x\"y""#],
            &["basic realm=a, b", r#"bearer error=x"y"#],
        ),
        (&["Negotiate", "Bearer realm=\"r\""], &["negotiate", "bearer realm=r"]),
        (&["Negotiate YWJj==, Bearer scope=a"], &["negotiate", "bearer scope=a"]),
        (&["Negotiate YWJj, Bearer scope=a"], &["negotiate", "bearer scope=a"]),
        (&[",, Bearer ,, scope=a,,"], &["bearer scope=a"]),
        (&["Bearer scope=a, scope=b"], &["bearer scope=a"]),
        (&["Bearer scope=\"a"], &["bearer"]),
        (&["scope=a"], &["scope"]),
        (&["", "é"], &[]),
    ];
    for (values, expected) in cases {
        assert_eq!(shown(values), *expected, "{values:?}");
    }
}

#[test]
fn the_challenge_for_oauth_is_found_among_others() {
    let values: Vec<Box<str>> = vec!["Basic realm=x, bearer scope=\"a  b\"".into()];
    let found = AuthChallenge::for_oauth(&values).unwrap();
    assert_eq!(found.scopes().unwrap(), ["a".into(), "b".into()] as [Box<str>; 2]);
    assert_eq!(AuthChallenge::for_oauth(&["Basic".into()]), None);
}

#[test]
fn what_is_read_is_bounded() {
    let many = "Bearer a=1, ".repeat(1000);
    assert_eq!(shown(&[&many]).len(), 16);
    let wide: String = (0..1000).map(|n| format!("p{n}=1, ")).collect();
    let all = parse_challenges([&*format!("Bearer {wide}")]);
    assert_eq!(all[0].parameters.len(), 32);
}
