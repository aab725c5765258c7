//! Tests of the rules about a single file, on minimal sources.

use std::path::Path;

use crate::tidy::source::Source;
use crate::tidy::{arrows, bans, markdown, plain_words, profiles, rust_version, shape};
use crate::workspace::{Dependency, Package};

const PRODUCT: &str = "crates/hobnob/src/serve.rs";

/// Findings of the source rules, as `line: first word of the message`.
fn check(path: &str, text: &str) -> Vec<String> {
    let text = format!("//! Header.\n{text}");
    let source = Source::parse(Path::new(path), &text).map_err(|it| it.to_string()).unwrap();
    let findings = bans::check(&source).into_iter().chain(shape::check(&source));
    let brief = |message: &str| message.split(": ").next().unwrap().to_owned();
    findings.map(|it| format!("{}: {}", it.line, brief(&it.message))).collect()
}

#[test]
fn banned_calls_are_found_in_product_code() {
    let cases = [
        ("fn f() { g().unwrap(); }", "2: `.unwrap(`"),
        ("fn f() {\n g()\n .expect(\"why\"); }", "4: `.expect(`"),
        ("fn f() { tokio::select! { x = y() => x.unwrap() } }", "2: `.unwrap(`"),
        ("fn f() { todo!() }", "2: `todo!`"),
        ("fn f() { unimplemented!() }", "2: `unimplemented!`"),
        ("fn f() { dbg!(1); }", "2: `dbg!`"),
        ("fn f() { println!(); }", "2: `println!`"),
        ("fn f() { std::fs::write(a, b); }", "2: `fs::write(`"),
        ("fn f() { File::create(a); }", "2: `File::create(`"),
        ("fn f() { tokio::spawn(g()); }", "2: `tokio::spawn`"),
        ("fn f() { tokio::task::spawn(g()); }", "2: `task::spawn(`"),
        ("fn f() { mpsc::unbounded_channel(); }", "2: `unbounded_channel`"),
        ("#[allow(dead_code)]\nfn f() {}", "2: `#[allow`"),
        ("#![allow(dead_code)]", "2: `#![allow`"),
        ("#[serde(untagged)]\nenum E { A }", "2: `serde(untagged)`"),
        ("struct S {\n#[serde(default, flatten)]\na: T }", "3: `serde(flatten)`"),
        ("const V: &str = \"2025-06-18\";", "2: \"2025-06-18\""),
    ];
    for (text, expected) in cases {
        assert_eq!(check(PRODUCT, text), [expected], "{text}");
    }
}

#[test]
fn words_that_only_look_banned_are_left_alone() {
    let cases = [
        "// call .unwrap() and todo!()\nfn f() {}",
        "/// Says `println!`.\nfn f() {}",
        "const T: &str = \"x.unwrap() #[allow(x)]\";",
        "#[expect(dead_code, reason = \"later\")]\nfn f() {}",
        "fn f() { g().unwrap_or_default(); set.spawn(h()); }",
        "fn f() { task::spawn_blocking(g); }",
        "#[serde(rename = \"flatten\")]\nstruct S;",
        "const T: &str = \"since 2025-06-18\";",
        "fn f() { eprintln!(); }",
        "fn f() { cursor.expect(b':'); }",
    ];
    for text in cases {
        assert!(check(PRODUCT, text).is_empty(), "{text}");
    }
}

#[test]
fn tests_may_panic_but_not_sleep_or_be_ignored() {
    let inside =
        |body: &str| format!("#[cfg(test)]\nmod tests {{\n#[test]\nfn t() {{ {body} }}\n}}");
    assert!(check(PRODUCT, &inside("g().unwrap(); println!();")).is_empty());
    assert_eq!(check(PRODUCT, &inside("thread::sleep(d);")), ["5: `thread::sleep`"]);
    assert_eq!(check(PRODUCT, &inside("tokio::time::sleep(d).await;")), ["5: `time::sleep`"]);
    assert!(check(PRODUCT, "fn f() { thread::sleep(d); }").is_empty());

    let file = "crates/hobnob/tests/it/main.rs";
    assert!(check(file, "fn f() { g().unwrap(); let v = \"2025-06-18\"; }").is_empty());
    assert_eq!(check(file, "fn f() { std::thread::sleep(d); }"), ["2: `thread::sleep`"]);
    assert_eq!(check(file, "#[ignore]\nfn f() {}"), ["2: `#[ignore`"]);
    assert_eq!(check("crates/a/src/b/tests.rs", "fn f() { g().unwrap(); }"), [""; 0]);

    let negated = "#[cfg(not(test))]\nmod real { fn f() { g().unwrap(); } }";
    assert_eq!(check(PRODUCT, negated), ["3: `.unwrap(`"]);
}

#[test]
fn each_place_has_its_own_liberties() {
    let prints = "fn f() { println!(); }";
    assert!(check("crates/hobnob-terminal/src/render/table.rs", prints).is_empty());
    assert!(check("crates/hobnob-terminal/src/render.rs", prints).is_empty());
    assert!(check("xtask/src/ci.rs", prints).is_empty());
    let panics = "fn f() { g().unwrap(); }";
    assert_eq!(check("crates/hobnob-terminal/src/render.rs", panics), ["2: `.unwrap(`"]);
    let version = "const V: &str = \"2025-06-18\";";
    assert!(check("crates/hobnob-mcp-types/src/revision.rs", version).is_empty());
}

#[test]
fn sizes_count_everything_but_tests() {
    let function = |lines: usize| format!("fn f() {{\n{}}}", "g();\n".repeat(lines - 2));
    assert!(check(PRODUCT, &function(70)).is_empty());
    assert_eq!(check(PRODUCT, &function(71)), ["2: fn f has 71 lines, the limit is 70"]);
    let method = format!("impl S {{\n{}\n}}", function(71));
    assert_eq!(check(PRODUCT, &method), ["3: fn f has 71 lines, the limit is 70"]);

    let tested = |lines: usize| {
        let body = "// line\n".repeat(lines - 1);
        format!("{body}#[cfg(test)]\nmod tests {{\n{}}}", "// line\n".repeat(300))
    };
    assert!(check(PRODUCT, &tested(600)).is_empty());
    assert_eq!(check(PRODUCT, &tested(601)), ["1: 601 lines, the limit is 600"]);
    assert!(check("crates/hobnob/tests/it/long.rs", &"// line\n".repeat(900)).is_empty());
}

#[test]
fn files_have_a_header_a_name_and_no_logic_in_the_index() {
    let headless = Source::parse(Path::new(PRODUCT), "fn f() {}\n");
    let headless = headless.map_err(|it| it.to_string()).unwrap();
    assert_eq!(shape::check(&headless).len(), 1);
    for path in ["crates/a/src/utils.rs", "crates/a/src/core/a.rs", "crates/common/src/a.rs"] {
        let found = check(path, "mod b;");
        assert!(found[0].ends_with("says nothing"), "{path}: {found:?}");
    }
    assert!(check("crates/a/src/score.rs", "").is_empty());

    let logic = "mod a;\npub use a::B;\nimpl B { fn f() {} }";
    assert_eq!(check("crates/a/src/lib.rs", logic), ["4: fn f"]);
    assert!(check("crates/a/src/lib.rs", "mod a;\npub use a::B;").is_empty());
    assert!(check("crates/a/src/main.rs", logic).is_empty());

    let inside = check("crates/a/src/b/mod.rs", "mod c;");
    assert_eq!(inside, ["1: the file of a module stands beside its folder"]);
}

#[test]
fn text_that_is_not_rust_is_a_finding() {
    let finding = Source::parse(Path::new("a.rs"), "//! A.\nfn f( {").err().unwrap();
    assert!(finding.to_string().starts_with("a.rs:2: not Rust"), "{finding}");
}

#[test]
fn the_oldest_compiler_is_the_same_everywhere() {
    assert_eq!(
        rust_version::promised("[workspace.package]\nrust-version = \"1.95\"\n"),
        Some("1.95")
    );
    let check = |text: &str| {
        let found = rust_version::check(Path::new("Cargo.toml"), text, "1.95");
        found.into_iter().map(|it| it.line).collect::<Vec<_>>()
    };
    for fine in [
        "[package]\nrust-version.workspace = true",
        "[package]\nrust-version = \"1.95\"",
        "[toolchain]\nchannel = \"1.95.0\"",
        "[toolchain]\nchannel = \"stable\"",
        "[Rust](https://rustup.rs) 1.95 or newer",
    ] {
        assert_eq!(check(fine), [0; 0], "{fine}");
    }
    assert_eq!(check("[package]\nname = \"a\""), [1]);
    assert_eq!(check("[package]\nrust-version = \"1.9\""), [2]);
    assert_eq!(check("[toolchain]\nchannel = \"1.96\""), [2]);
    assert_eq!(check("a\nwith [Rust](https://rustup.rs) 1.950 or newer"), [2]);
}

#[test]
fn release_and_dist_treat_all_packages_alike() {
    let check = |text: &str| {
        let found = profiles::check(Path::new("Cargo.toml"), text);
        found.into_iter().map(|it| it.line).collect::<Vec<_>>()
    };
    for fine in [
        "[profile.release]\nopt-level = 3\n[profile.dist]\ninherits = \"release\"",
        "[profile.dev.package.argon2]\nopt-level = 2",
        "[profile.release]\n# package.a.opt-level = 3\n[package]\nname = \"a\"",
        "[profile.release-packaged]\nlto = true",
    ] {
        assert_eq!(check(fine), [0; 0], "{fine}");
    }
    assert_eq!(check("[profile.release.package.a]\nopt-level = 3\ncodegen-units = 1"), [1]);
    assert_eq!(check("[profile.dist]\nlto = true\n[profile.dist.package.\"*\"]\ndebug = 0"), [3]);
    assert_eq!(check("[profile.release]\npackage.a.opt-level = \"z\""), [2]);
    assert_eq!(check("[profile.release]\npackage = { a = { opt-level = 1 } }"), [2]);
    assert_eq!(check("[ profile . \"dist\" . package . a ]\nopt-level = 1"), [1]);
    assert_eq!(check("profile.dist.package.a.opt-level = 1"), [1]);
}

#[test]
fn arrows_point_one_way() {
    let check = |package: &str, dependency: &str, kind: Option<&str>| {
        let package = Package {
            name: package.into(),
            manifest_path: "Cargo.toml".into(),
            dependencies: vec![Dependency::named(dependency, kind)],
            rust_version: None,
        };
        let manifest = format!("[dependencies]\n{dependency} = \"1\"\n");
        let members = [
            "hobnob",
            "hobnob-mcp-types",
            "hobnob-mcp-server",
            "hobnob-mcp-testkit",
            "hobnob-web-client",
        ];
        let found = arrows::check_package(&package, Path::new("Cargo.toml"), &manifest, &members);
        found.into_iter().map(|it| it.line).collect::<Vec<_>>()
    };
    assert_eq!(check("hobnob", "hobnob-mcp-server", None), [0; 0]);
    assert_eq!(check("hobnob-mcp-server", "hobnob", None), [2]);
    assert_eq!(check("hobnob-mcp-server", "hobnob", Some("dev")), [2]);
    assert_eq!(check("hobnob-mcp-types", "hobnob-mcp-server", None), [2]);
    assert_eq!(check("hobnob-mcp-types", "hobnob-mcp-testkit", Some("dev")), [0; 0]);
    assert_eq!(check("hobnob", "hobnob-mcp-testkit", None), [2]);
    assert_eq!(check("hobnob-mcp-http", "hobnob-web-client", None), [0; 0]);
    assert_eq!(check("hobnob-mcp-server", "hobnob-web-client", Some("dev")), [0; 0]);
    assert_eq!(check("hobnob-mcp-types", "hobnob-web-client", None), [2]);
    assert_eq!(check("hobnob-web-client", "hobnob-mcp-types", None), [2]);
    assert_eq!(check("hobnob-mcp-types", "serde", None), [0; 0]);
    assert_eq!(check("hobnob-mcp-types", "tokio", None), [2]);
    assert_eq!(check("hobnob-mcp-engine", "tokio", None), [2]);
    assert_eq!(check("hobnob-mcp-engine", "tokio", Some("dev")), [0; 0]);
    assert_eq!(check("hobnob", "rmcp", None), [2]);
    assert_eq!(check("hobnob", "rmcp", Some("dev")), [0; 0]);
    assert_eq!(check("hobnob-attic", "serde", None), [1]);
}

#[test]
fn documents_name_only_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let check = |path: &str, text: &str| {
        let found = markdown::check(Path::new(path), text, root);
        found.into_iter().map(|it| it.line).collect::<Vec<_>>()
    };
    assert_eq!(check("README.md", "See `xtask/src/main.rs` and [it](Cargo.toml#top).\n"), [0; 0]);
    assert_eq!(check("README.md", "One.\nSee `crates/nowhere/src`.\n"), [2]);
    assert_eq!(check("README.md", "See [it](gone.md).\n"), [1]);
    assert_eq!(check("xtask/notes.md", "See [it](Cargo.toml), [up](../Cargo.toml).\n"), [0; 0]);
    assert_eq!(check("README.md", "```\n`crates/nowhere`\n```\n`crates/<name>/src`\n"), [0; 0]);
    assert_eq!(check("README.md", "[web](https://example.invalid/x)\n"), [0; 0]);
    assert_eq!(check("ARCHITECTURE.md", &"x\n".repeat(201)), [1]);
    assert_eq!(check("ARCHITECTURE.md", &"x\n".repeat(200)), [0; 0]);
    assert_eq!(check("README.md", &"x\n".repeat(201)), [0; 0]);
    let walk = |file: &str| format!("```text\nserver/session → {file} → …\n```\n");
    assert_eq!(check("ARCHITECTURE.md", &walk("policy/permit")), [0; 0]);
    assert_eq!(check("ARCHITECTURE.md", &walk("server/nowhere")), [2]);
}

#[test]
fn comments_name_their_actors() {
    let cases: [(&str, &[usize]); 7] = [
        ("/// Whoever calls it.\nfn f() {} // so many", &[2, 3]),
        ("//! At hand, as it stands.\n", &[2, 2]),
        ("/// The value `nobody`, for `so many` users.\nfn f() {}", &[]),
        ("/// A caller is toldable, somebodyelse's.\nfn f() {}", &[]),
        ("const T: &str = \"// nobody\";", &[]),
        ("const T: &str = r\"\n// nobody\n\";\n// nobody", &[5]),
        ("fn f() {}\n    // The server HEARS OF it.", &[3]),
    ];
    for (text, expected) in cases {
        let text = format!("//! Header.\n{text}");
        let source = Source::parse(Path::new(PRODUCT), &text).map_err(|it| it.to_string()).unwrap();
        let lines: Vec<usize> = plain_words::check(&source).iter().map(|it| it.line).collect();
        assert_eq!(lines, expected, "{text}");
    }
}
