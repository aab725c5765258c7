//! Forms with everything that a query may contain.

use super::{Form, decode};

type Pairs = &'static [(&'static str, &'static str)];

#[test]
fn a_form_names_each_parameter_once() {
    let cases: &[(&str, Option<Pairs>)] = &[
        ("", Some(&[])),
        ("a=1&b=2", Some(&[("a", "1"), ("b", "2")])),
        ("a=%20+%C3%A9&&b", Some(&[("a", "  é")])),
        ("a=1&a=1", None),
        ("a=&a=1", None),
        ("a%3d=1", Some(&[("a=", "1")])),
        ("a=%", None),
        ("a=%g0", None),
        ("a=%ff", None),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|pairs| {
            Form(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
        });
        assert_eq!(Form::parse(text), expected, "{text}");
    }
    let many: String = (0..65).map(|number| format!("p{number}=1&")).collect();
    assert_eq!(Form::parse(&many), None);
}

#[test]
fn what_the_client_encodes_is_read_again() {
    for text in ["", "a b", "ünï/&=%+", "\u{1f980}\n"] {
        assert_eq!(decode(&crate::encoding::form_text(text)).as_deref(), Some(text));
    }
}
