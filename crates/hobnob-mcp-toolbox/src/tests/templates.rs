//! Matching of URI templates, as a table of cases.

use crate::template::Template;

/// A template, a URI, and the variables if the URI matches.
type Case<'a> = (&'a str, &'a str, Option<&'a [(&'a str, &'a str)]>);

#[test]
fn addresses_match_or_do_not() {
    let cases: &[Case<'_>] = &[
        ("test://template/{id}/data", "test://template/123/data", Some(&[("id", "123")])),
        ("test://template/{id}/data", "test://template/1/2/data", None),
        ("test://template/{id}/data", "test://template//data", None),
        ("test://template/{id}/data", "test://template/1/data/", None),
        ("test://template/{id}/data", "test://template/1/dat", None),
        ("test://template/{id}/data", "other://template/1/data", None),
        ("a:{x}", "a:%41%20b%2Fc", Some(&[("x", "A b/c")])),
        ("a:{x}", "a:%4", None),
        ("a:{x}", "a:%zz", None),
        ("a:{x}", "a:%ff", None),
        ("a:{x}", "a:é", Some(&[("x", "é")])),
        ("a:{x}", "a:x?y", None),
        ("a:{+x}", "a:b/c?d#e", Some(&[("x", "b/c?d#e")])),
        ("a:{+x}", "a:", None),
        ("file:///{+path}.md", "file:///a/b.md", Some(&[("path", "a/b")])),
        ("file:///{+path}.md", "file:///a.md/b.md", Some(&[("path", "a.md/b")])),
        ("file:///{+path}.md", "file:///.md", None),
        (
            "m://{scope}/{namespace}/{id}",
            "m://a/b/c",
            Some(&[("scope", "a"), ("namespace", "b"), ("id", "c")]),
        ),
        ("m://{scope}/{namespace}/{id}", "m://a/b/c/d", None),
        ("m://{a}-{b}", "m://x-y-z", Some(&[("a", "x"), ("b", "y-z")])),
        ("m://{a}-{b}", "m://--z", Some(&[("a", "-"), ("b", "z")])),
        ("m://{a}-{b}", "m://é-z", Some(&[("a", "é"), ("b", "z")])),
        ("m://fixed", "m://fixed", Some(&[])),
        ("m://fixed", "m://fixed/more", None),
    ];
    for (template, uri, expected) in cases {
        let found = Template::parse(template).unwrap().matches(uri);
        let found: Option<Vec<(String, String)>> = found.map(|found| found.into_iter().collect());
        let found: Option<Vec<(&str, &str)>> = found
            .as_ref()
            .map(|found| found.iter().map(|(name, value)| (&**name, &**value)).collect());
        assert_eq!(found.as_deref(), *expected, "{template} {uri}");
    }
}

#[test]
fn templates_beyond_us_are_refused() {
    for template in [
        "a:{",
        "a:}",
        "a:{x",
        "a:x}",
        "a:{x}}",
        "a:{}",
        "a:{+}",
        "a:{?x}",
        "a:{/x}",
        "a:{#x}",
        "a:{x*}",
        "a:{x:3}",
        "a:{x,y}",
        "a:{x}{y}",
        "a:{x}/{x}",
        "a:{ x}",
    ] {
        assert!(Template::parse(template).is_err(), "{template}");
    }
}

#[test]
fn matching_a_hostile_address_takes_one_pass() {
    let template = Template::parse("a:{+a}x{+b}x{+c}x{+d}y").unwrap();
    // With backtracking, this would take longer than a lifetime.
    assert_eq!(template.matches(&format!("a:{}", "x".repeat(1 << 20))), None);
}
