//! From the words of a command line to the JSON of a tool's arguments.

use super::{arguments, texts};

const SCHEMA: &str = r##"{
  "type": "object",
  "properties": {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "loud": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "sizes": {"type": "array", "items": {"type": "integer"}},
    "filter": {"type": "object"},
    "either": {"type": ["string", "integer"]},
    "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "color": {"enum": ["red", "blue"]},
    "named": {"$ref": "#/$defs/Named"},
    "free": {}
  },
  "$defs": {"Named": {"type": "array", "items": {"$ref": "#/$defs/Size"}}, "Size": {"type": "number"}}
}"##;

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn values_are_typed_by_the_schema() {
    let cases: [(&[&str], &str); 27] = [
        (&[], "{}"),
        (&["text=hello world"], r#"{"text":"hello world"}"#),
        (&["text=5"], r#"{"text":"5"}"#),
        (&["text=a=b"], r#"{"text":"a=b"}"#),
        (&["text="], r#"{"text":""}"#),
        (&["text=@@home"], r#"{"text":"@home"}"#),
        (&["text=say \"hi\""], r#"{"text":"say \"hi\""}"#),
        (&["count=5"], r#"{"count":5}"#),
        (&["count=-12345678901234567890123"], r#"{"count":-12345678901234567890123}"#),
        (&["ratio=2.50"], r#"{"ratio":2.50}"#),
        (&["ratio=1e3"], r#"{"ratio":1e3}"#),
        (&["loud=true"], r#"{"loud":true}"#),
        (&["tags=a", "text=x", "tags=b"], r#"{"tags":["a","b"],"text":"x"}"#),
        (&["tags=a"], r#"{"tags":["a"]}"#),
        (&[r#"tags=["a","b"]"#], r#"{"tags":["a","b"]}"#),
        (&["sizes=1", "sizes=2"], r#"{"sizes":[1,2]}"#),
        (&[r#"filter={"a": 1}"#], r#"{"filter":{"a": 1}}"#),
        (&["either=5"], r#"{"either":5}"#),
        (&["either=five"], r#"{"either":"five"}"#),
        (&["maybe=null"], r#"{"maybe":null}"#),
        (&["color=red"], r#"{"color":"red"}"#),
        (&["named=1.5", "named=2"], r#"{"named":[1.5,2]}"#),
        (&["free=5"], r#"{"free":"5"}"#),
        (&["free:=5"], r#"{"free":5}"#),
        (&["text:=[1, 2]"], r#"{"text":[1, 2]}"#),
        (&["other=x"], r#"{"other":"x"}"#),
        (
            &[r#" {"anything": 12345678901234567890.10} "#],
            r#"{"anything": 12345678901234567890.10}"#,
        ),
    ];
    for (given, wanted) in cases {
        assert_eq!(arguments(&words(given), SCHEMA).unwrap(), wanted, "{given:?}");
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let closed = r#"{"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"],
        "additionalProperties": false}"#;
    let cases: [(&[&str], &str, &str); 11] = [
        (&["hello"], SCHEMA, "`hello` is neither key=value nor a JSON object"),
        (&["=5"], SCHEMA, "`=5` is neither key=value nor a JSON object"),
        (&["count=five"], SCHEMA, "`count` must be a whole number, not `five`"),
        (&["count=05"], SCHEMA, "`count` must be a whole number, not `05`"),
        (&["count=1.5"], SCHEMA, "`count` must be a whole number, not `1.5`"),
        (&["loud=yes"], SCHEMA, "`loud` must be true or false, not `yes`"),
        (&["count=1", "count=2"], SCHEMA, "`count` is given twice, but it takes one value"),
        (&["sizes=1", "sizes=x"], SCHEMA, "`sizes` must be a whole number, not `x`"),
        (&["b=1"], closed, "missing arguments: a=…"),
        (&["a=1", "c=2"], closed, "unknown argument `c`; the tool takes: `a`, `b`"),
        (&["filter={"], SCHEMA, "`filter` must be a JSON object, not `{`"),
    ];
    for (given, schema, wanted) in cases {
        let error = arguments(&words(given), schema).unwrap_err();
        assert_eq!(error.to_string(), wanted, "{given:?}");
    }
    for given in ["{", "{\"a\": }", "a:={"] {
        let error = arguments(&words(&[given]), SCHEMA).unwrap_err().to_string();
        assert!(error.contains("is not"), "{given}: {error}");
    }
    let error = arguments(&words(&["text=@/no/such/file"]), SCHEMA).unwrap_err().to_string();
    assert!(error.contains("/no/such/file"), "{error}");
}

#[test]
fn a_schema_that_says_nothing_or_too_much_is_survived() {
    let endless = r##"{"properties": {"a": {"$ref": "#/properties/a"}}}"##;
    for schema in ["", "null", "[]", "{\"properties\": 5}", endless] {
        assert_eq!(arguments(&words(&["a=1"]), schema).unwrap(), r#"{"a":"1"}"#, "{schema}");
    }
}

#[test]
fn prompts_take_texts_only() {
    let given = texts(&words(&["a=1", "b:={\"c\": 2}"])).unwrap();
    assert_eq!(given, [("a".into(), "1".into()), ("b".into(), "{\"c\": 2}".into())]);
    assert!(texts(&words(&["a=1", "a=2"])).is_err());
    assert!(texts(&words(&["nothing"])).is_err());
}
