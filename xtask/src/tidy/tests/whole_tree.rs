//! Tests of the rules about many files, each on a tree of a few lines.

use std::path::Path;

use crate::tidy::source::Source;
use crate::tidy::{doc_words, file_circles, type_names, wide_types};

/// Parses a tree given as (path, text).
fn tree(files: &[(&str, &str)]) -> Vec<Source> {
    let parse = |(path, text): &(&str, &str)| {
        Source::parse(Path::new(path), text).map_err(|it| it.to_string()).unwrap()
    };
    files.iter().map(parse).collect()
}

/// The short doc comments of one file, as `line: the comment`.
fn short_docs(path: &str, text: &str) -> Vec<String> {
    let found = doc_words::check(&tree(&[(path, text)])[0]);
    found
        .iter()
        .map(|it| format!("{}: {}", it.line, it.message.split('"').nth(1).unwrap()))
        .collect()
}

#[test]
fn doc_comments_of_three_words_say_too_little() {
    let file = "crates/a/src/b.rs";
    assert_eq!(short_docs(file, "/// Does it.\nfn f() {}"), ["1: Does it."]);
    assert_eq!(short_docs(file, "//! The errors here.\n\nfn f() {}"), ["1: The errors here."]);
    assert_eq!(
        short_docs(file, "struct S {\n    /// Its `name` - here.\n    a: u8,\n}"),
        ["2: Its `name` here."]
    );
    assert_eq!(
        short_docs(file, "enum E {\n    /// One.\n    A,\n    /// Two.\n    B,\n}"),
        ["2: One.", "4: Two."]
    );
    assert_eq!(short_docs(file, "/** Does it. */\nfn f() {}"), ["1: Does it."]);
    assert_eq!(short_docs(file, "make! {\n    /// Does it.\n    struct S;\n}"), ["2: Does it."]);
    assert_eq!(short_docs("xtask/src/b.rs", "/// Does it.\nfn f() {}"), ["1: Does it."]);
}

#[test]
fn doc_comments_with_something_to_say_are_left_alone() {
    let file = "crates/a/src/b.rs";
    let cases = [
        "/// Does it again tomorrow.\nfn f() {}",
        "//! Does it.\n//!\n//! And says why.\nfn f() {}",
        "/// Does\n/// it\n/// line by\n/// line.\nfn f() {}",
        "// Does it.\nfn f() {}",
        "#[doc(hidden)]\nfn f() {}",
        "const T: &str = \"/// Does it.\";",
        "#[cfg(test)]\nmod tests {\n    /// Does it.\n    fn f() {}\n}",
    ];
    for text in cases {
        assert_eq!(short_docs(file, text), [""; 0], "{text}");
    }
    for path in ["crates/a/tests/it/main.rs", "crates/a/src/b/tests.rs", "bench/load/src/main.rs"] {
        assert_eq!(short_docs(path, "/// Does it.\nfn f() {}"), [""; 0], "{path}");
    }
}

/// The places of equal names, as `path:line: name`.
fn equal_names(files: &[(&str, &str)]) -> Vec<String> {
    let found = type_names::check(&tree(files));
    let name = |message: &str| message.split('`').nth(1).unwrap().to_owned();
    found
        .iter()
        .map(|it| format!("{}:{}: {}", it.path.display(), it.line, name(&it.message)))
        .collect()
}

#[test]
fn a_public_type_name_exists_once() {
    let both = ["crates/a/src/b.rs:1: Work", "crates/c/src/d.rs:2: Work"];
    let pairs = [
        ("pub struct Work;", "\npub enum Work { A }"),
        ("pub(crate) struct Work;", "\npub trait Work {}"),
        ("pub type Work = u8;", "\npub(super) struct Work;"),
        ("pub mod inner { pub struct Work; }", "\npub union Work { a: u8 }"),
    ];
    for (one, other) in pairs {
        let files = [("crates/a/src/b.rs", one), ("crates/c/src/d.rs", other)];
        assert_eq!(equal_names(&files), both, "{one} {other}");
    }
    let twice =
        equal_names(&[("crates/a/src/b.rs", "mod c { pub struct Work; }\npub struct Work;")]);
    assert_eq!(twice, ["crates/a/src/b.rs:1: Work", "crates/a/src/b.rs:2: Work"]);
}

#[test]
fn names_that_nobody_else_sees_may_be_equal() {
    let public = ("crates/a/src/b.rs", "pub struct Work;");
    let others = [
        ("crates/c/src/d.rs", "struct Work;"),
        ("crates/c/src/d/e.rs", "pub(super) struct Work;"),
        ("crates/c/src/d/e.rs", "pub(in crate::d) struct Work;"),
        ("crates/c/src/d.rs", "#[cfg(test)]\nmod tests { pub struct Work; }"),
        ("crates/c/src/d.rs", "impl Trait for T { type Work = u8; }"),
        ("crates/c/src/d/tests.rs", "pub struct Work;"),
        ("crates/c/tests/it/main.rs", "pub struct Work;"),
        ("xtask/src/work.rs", "pub struct Work;"),
        ("bench/load/src/work.rs", "pub struct Work;"),
    ];
    for other in others {
        assert_eq!(equal_names(&[public, other]), [""; 0], "{other:?}");
    }
}

#[test]
fn conventional_names_and_alternatives_may_be_equal() {
    let args = "pub struct Args;";
    assert_eq!(equal_names(&[("crates/a/src/b.rs", args), ("crates/a/src/c.rs", args)]), [""; 0]);
    let unix = ("crates/a/src/unix.rs", "#[cfg(unix)]\npub struct Work;");
    let other = ("crates/a/src/other.rs", "#[cfg(not(unix))]\nmod inner { pub struct Work; }");
    assert_eq!(equal_names(&[unix, other]), [""; 0]);
    let elsewhere = ("crates/b/src/other.rs", other.1);
    assert_eq!(equal_names(&[unix, elsewhere]).len(), 2);
}

/// The cycles of a crate with these files below `src`, as `line of the first arrow: path`.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> =
        files.iter().map(|(path, text)| (format!("crates/a/src/{path}"), *text)).collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let found = file_circles::check(&tree(&files));
    let way = |message: &str| message.split(['(', ')']).nth(1).unwrap().to_owned();
    found.iter().map(|it| format!("{}: {}", it.line, way(&it.message))).collect()
}

#[test]
fn files_that_use_each_other_are_a_circle() {
    let root = ("lib.rs", "mod a;\nmod b;\nmod c;");
    let a = ("a.rs", "use crate::b::B;\npub struct A;");
    let circle = ["1: a.rs → b.rs → a.rs"];
    let ways_back = [
        "use crate::a::A;\npub struct B;",
        "use super::a::A;\npub struct B;",
        "pub struct B(crate::a::A);",
        "use crate::a;\npub struct B(a::A);",
        "use crate::a::{self as other};\npub struct B(other::A);",
        "pub struct B;\nfn f() { use crate::a::A; }",
        "pub struct B;\nfn f() { println!(\"{}\", crate::a::A) }",
        "pub struct B;\n#[serde(with = \"crate::a::A\")]\nstruct C;",
        "pub struct B;\nmod inner { use super::super::a::A; }",
    ];
    for b in ways_back {
        assert_eq!(circles(&[root, a, ("b.rs", b)]), circle, "{b}");
    }
    let three = [
        root,
        a,
        ("b.rs", "use crate::c::C;\npub struct B;"),
        ("c.rs", "\nuse crate::a::A;\npub struct C;"),
    ];
    assert_eq!(circles(&three), ["1: a.rs → b.rs → c.rs → a.rs"]);
}

#[test]
fn arrows_that_point_one_way_are_no_circle() {
    let root = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;");
    let a = ("a.rs", "use crate::b::B;\npub struct A;");
    let fine = [
        "pub struct B;",
        "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }",
        "pub struct B;\n#[cfg(test)]\nuse crate::a::A;",
        "/// See [`A`](crate::a::A).\npub struct B;",
        "use elsewhere::a::A;\npub struct B(A);",
        "pub struct B;\nimpl B { fn f(&self) { self.a::<u8>(); } }",
        "pub struct B;\npub(in crate::a) struct C;",
        "pub struct B;\nmod crate_free { pub struct A; }\nuse crate_free::A;",
    ];
    for b in fine {
        assert_eq!(circles(&[root, a, ("b.rs", b)]), [""; 0], "{b}");
    }
    let tests = ("b/tests.rs", "use crate::a::A;");
    let b = ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests;");
    assert_eq!(circles(&[root, a, b, tests]), [""; 0]);
}

#[test]
fn a_re_export_neither_hides_a_circle_nor_makes_one() {
    // Through the root and through an index, under another name, and by a glob.
    let root = ("lib.rs", "mod a;\nmod folder;\npub use a::A;\npub(crate) use folder::*;");
    let a = ("a.rs", "use crate::Second;\npub struct A;");
    let folder =
        ("folder.rs", "mod one;\nmod two;\npub use one::One;\npub use two::Two as Second;");
    let one = ("folder/one.rs", "use super::Second;\npub struct One;");
    let two = ("folder/two.rs", "pub struct Two;");
    assert_eq!(circles(&[root, a, folder, one, two]), [""; 0]);

    let back = ("folder/two.rs", "use crate::A;\npub struct Two;");
    assert_eq!(circles(&[root, a, folder, one, back]), ["1: a.rs → folder/two.rs → a.rs"]);
    let sideways = ("folder/two.rs", "use super::One;\npub struct Two;");
    assert_eq!(
        circles(&[root, a, folder, one, sideways]),
        ["1: folder/one.rs → folder/two.rs → folder/one.rs"]
    );
}

#[test]
fn a_module_and_a_function_may_share_a_name() {
    let root = ("lib.rs", "mod call;\nmod other;\npub use call::call;");
    let call = ("call.rs", "use crate::other::Other;\npub fn call() {}\npub struct Call;");
    let other = ("other.rs", "pub struct Other;\nfn f() { crate::call() }");
    assert_eq!(circles(&[root, call, other]), ["1: call.rs → other.rs → call.rs"]);
    let apart = ("other.rs", "pub struct Other;");
    assert_eq!(circles(&[root, call, apart]), [""; 0]);
}

#[test]
fn a_parent_with_logic_and_its_child_are_a_circle() {
    let root = ("lib.rs", "mod a;");
    let parent = ("a.rs", "mod b;\npub struct A(b::B);");
    let child = ("a/b.rs", "use super::A;\npub struct B;");
    assert_eq!(circles(&[root, parent, child]), ["1: a/b.rs → a.rs → a/b.rs"]);
    // A file that only passes names on has no arrows of its own.
    let index = ("a.rs", "mod b;\npub use b::B;\npub struct A;");
    assert_eq!(circles(&[root, index, child]), [""; 0]);
    let used = ("a.rs", "mod b;\npub use b::B;\npub struct A(B);");
    assert_eq!(circles(&[root, used, child]), ["1: a/b.rs → a.rs → a/b.rs"]);
}

#[test]
fn a_finding_names_every_arrow_and_what_to_do() {
    let files = tree(&[
        ("crates/a/src/lib.rs", "mod a;\nmod b;"),
        ("crates/a/src/a.rs", "use crate::b::{B, C};"),
        ("crates/a/src/b.rs", "pub struct B;\npub struct C;\nfn f() { crate::a::g() }"),
    ]);
    let found: Vec<_> = file_circles::check(&files).iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        ["crates/a/src/a.rs:1: 2 files use each other in a circle (a.rs → b.rs → \
         a.rs): move what both need into a file of its own, or let the caller pass it in; every \
         arrow between them, below crates/a/src:\
         \n    a.rs:1 → b.rs: B, C\
         \n    b.rs:3 → a.rs: g"]
    );
}

#[test]
fn wide_types_are_found_over_all_files_of_a_crate() {
    let methods = |name: &str, from: usize, count: usize| {
        let methods: String =
            (from..from + count).map(|at| format!("fn m{at}(&self) {{}}\n")).collect();
        format!("impl {name} {{\n{methods}}}")
    };
    let wide = [methods("Wide", 0, 12), methods("Wide", 12, 9)];
    let cases = [
        ([("crates/a/src/x.rs", &*wide[0]), ("crates/a/src/y.rs", &*wide[1])], 1),
        ([("crates/a/src/x.rs", &*wide[0]), ("crates/b/src/y.rs", &*wide[1])], 0),
        ([("crates/a/src/x.rs", &*wide[0]), ("crates/a/tests/y.rs", &*wide[1])], 0),
    ];
    for (files, count) in cases {
        assert_eq!(wide_types::check(&tree(&files)).len(), count, "{files:?}");
    }
    let builder = methods("WideBuilder", 0, 30);
    let of_trait = methods("Trait for Wide", 0, 30);
    assert!(wide_types::check(&tree(&[("crates/a/src/x.rs", &*builder)])).is_empty());
    assert!(wide_types::check(&tree(&[("crates/a/src/x.rs", &*of_trait)])).is_empty());
}
