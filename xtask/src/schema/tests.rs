//! Tests of the check on small examples: facts, a mapping and a source in, findings out.

use std::collections::BTreeSet;

use serde_json::json;

use super::check::{Ours, check};
use super::extract::extract;
use super::vocabulary::Vocabulary;
use super::{facts, mapping};

const FACTS: &str = "\
Icon\tr1,r2\tobject\tsrc\tmimeType,theme
Icon/theme\tr1,r2\ttext\t\t\t\tdark,light
LookRequest\tr1\tobject\tmethod\t\tmethod=look
Mark\tr1\tobject\ttype\t\ttype=mark
Trouble\tr2\tobject\tcode\t\tcode=-7
";

const MAPPING: &str = "\
# A comment.
Icon\tIcon
*/theme\tIconTheme
*Request\t- an envelope
Mark\tMark Kind
Trouble\t- a code
";

const SOURCE: &str = r#"
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Icon {
        pub src: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mime_type: Option<String>,
        #[serde(default, rename = "theme", skip_serializing_if = "Vec::is_empty")]
        pub kind: Vec<IconTheme>,
    }
    open_enum! {
        /// Words.
        pub enum IconTheme { Dark = "dark", Light = "light" }
    }
    pub struct Mark {}
    tagged_union! {
        #[tag("type", default = "mark")]
        pub enum Kind { Mark(Mark) = "mark" }
    }
"#;

fn findings(facts: &str, mapping: &str, source: &str) -> Vec<String> {
    let mut types = Vocabulary::default();
    types.read("icons", source).unwrap();
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let ours = Ours { types, methods: words(&["look"]), codes: words(&["7"]) };
    check(&facts::read(facts).unwrap(), &mapping::read(mapping).unwrap(), &ours)
}

#[test]
fn a_world_that_fits_has_no_findings() {
    assert_eq!(findings(FACTS, MAPPING, SOURCE), Vec::<String>::new());
}

#[test]
fn every_drift_is_found() {
    let facts = |from: &str, to: &str| (FACTS.replace(from, to), MAPPING.into(), SOURCE.into());
    let mapping = |from: &str, to: &str| (FACTS.into(), MAPPING.replace(from, to), SOURCE.into());
    let source = |from: &str, to: &str| (FACTS.into(), MAPPING.into(), SOURCE.replace(from, to));
    let cases: Vec<((String, String, String), &str)> = vec![
        (
            facts("Mark\t", "New\tr9\tplain\nMark\t"),
            "r9 defines `New`, and the mapping does not say which type it is",
        ),
        (facts("\tsrc\t", "\tsize,src\t"), "r1 `Icon` is `Icon`, which has no field `size`"),
        (
            facts("mimeType,", "mimeType,weight,"),
            "r1 `Icon` is `Icon`, which has no field `weight`",
        ),
        (
            facts("\tsrc\tmimeType", "\t\tmimeType,src"),
            "r1 `Icon` is `Icon`, which demands `src`, which may be absent",
        ),
        (
            facts("dark,light", "dark,light,sepia"),
            "r1 `Icon/theme` is `IconTheme`, which does not know the value `sepia`",
        ),
        (
            facts("type=mark", "type=stain"),
            "r1 `Mark` is `Mark Kind`, which does not know the value `stain`",
        ),
        (facts("=look", "=listen"), "`LookRequest`: method.rs does not know `listen`"),
        (facts("=-7", "=-8"), "`Trouble`: error.rs does not know `-8`"),
        (
            mapping("*/theme\tIconTheme\n", ""),
            "r1 defines `Icon/theme`, and the mapping does not say which type it is",
        ),
        (mapping("Mark\t", "Old\tIcon\nMark\t"), "mapping: `Old` matches no definition"),
        (mapping("Mark Kind", "Mark Sort"), "mapping: `Mark`: there is no type `Sort`"),
        (
            source("Light = \"light\"", ""),
            "r1 `Icon/theme` is `IconTheme`, which does not know the value `light`",
        ),
        (source("rename = \"theme\", ", ""), "r1 `Icon` is `Icon`, which has no field `theme`"),
        (source("mime_type", "mime"), "r1 `Icon` is `Icon`, which has no field `mimeType`"),
        (source("\"type\"", "\"kind\""), "r1 `Mark` is `Mark Kind`, which has no field `type`"),
        (
            source("Option<String>", "String"),
            "r1 `Icon` is `Icon`, which demands `mimeType`, which may be absent",
        ),
    ];
    for ((facts, mapping, source), expected) in cases {
        let found = findings(&facts, &mapping, &source);
        assert!(found.iter().any(|line| line == expected), "{expected}\nbut found {found:#?}");
    }
}

#[test]
fn revisions_may_share_a_name_for_two_designs() {
    let facts = "Task\tr1\tobject\tttl\nTask\tr2\tobject\tttlMs\n";
    let source =
        "struct Old { ttl: u8 } #[serde(rename_all = \"camelCase\")] struct New { ttl_ms: u8 }";
    assert!(findings(facts, "Task\tOld\nr2:Task\tNew\n", source).is_empty());
    let found = findings(facts, "Task\tOld\n", source);
    let expected = [
        "r2 `Task` is `Old`, which demands `ttl`, which may be absent",
        "r2 `Task` is `Old`, which has no field `ttlMs`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_mapping_needs_types_or_a_reason() {
    for line in ["Icon", "Icon\t", "Icon\t-", "Icon\t- "] {
        assert!(mapping::read(line).is_err(), "{line:?}");
    }
}

#[test]
fn schemas_become_facts() {
    let schema = json!({"$defs": {
        "Base": {"properties": {"_meta": {"type": "object"}}},
        "Choice": {"anyOf": [{"$ref": "#/$defs/Base"}, {"$ref": "#/$defs/State"}]},
        "State": {"anyOf": [{"const": "on"}, {"const": "off"}]},
        "Thing": {
            "allOf": [
                {"$ref": "#/$defs/Base"},
                {"anyOf": [
                    {"properties": {"on": {"const": 1}, "id": {}}, "required": ["on", "id"]},
                    {"properties": {"off": {"enum": ["x"]}, "id": {}}, "required": ["id"]},
                ]},
                {"properties": {"parts": {"type": "array", "items": {
                    "properties": {"name": {"type": "string"}}, "required": ["name"],
                }}}},
            ],
        },
    }});
    let shapes = extract(&schema).unwrap();
    let lines = |revision: &'static str| {
        shapes.clone().into_iter().map(move |(name, shape)| (revision.to_owned(), name, shape))
    };
    let mut all: Vec<_> = lines("r2").chain(lines("r1")).collect();
    all.retain(|(revision, name, _)| name != "Base" || revision == "r2");
    let table = facts::write(&facts::merge(all));
    let expected = "\
Base\tr2\tobject\t\t_meta
Choice\tr1,r2\tunion
State\tr1,r2\ttext\t\t\t\toff,on
Thing\tr1,r2\tobject\tid\t_meta,off,on,parts\ton=1
Thing/off\tr1,r2\ttext\t\t\t\tx
Thing/parts\tr1,r2\tobject\tname
";
    let lines: Vec<_> = table.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, expected.lines().collect::<Vec<_>>());
    assert_eq!(facts::write(&facts::read(&table).unwrap()), table);
    assert!(extract(&json!({})).is_err());
}

#[test]
fn fields_that_a_macro_adds_and_aliases_are_known() {
    let source = r#"
        macro_rules! shown {
            ($(#[$attribute:meta])* pub struct $name:ident: $kind:ty { $($fields:tt)* }) => {
                pub struct $name {
                    #[serde(rename = "type")]
                    pub kind: $kind,
                    $($fields)*
                    pub max_age: Option<$crate::Age>,
                }
            };
        }
        pub type Picture = Icon;
        shown! {
            /// An icon.
            pub struct Icon: IconType { pub file_name: String, }
        }
    "#;
    let mut types = Vocabulary::default();
    types.read("icons", source).unwrap();
    let fields = [("type", true), ("fileName", true), ("maxAge", false)];
    let fields = fields.map(|(name, is_required)| (name.to_owned(), is_required));
    assert_eq!(types.find("Picture").unwrap().fields, fields.into());
}
