//! Tests of reading the tools' output, on small examples.

use std::path::Path;

use super::report::table;
use super::tools::{field, major};

#[test]
fn a_table_counts_product_lines_only() {
    let file = |path: &str, count: u32, covered: u32| {
        format!(
            r#"{{"filename":"/root/{path}","summary":{{"lines":{{"count":{count},"covered":{covered}}}}}}}"#
        )
    };
    let files = [
        file("crates/a/src/lib.rs", 10, 5),
        file("crates/a/src/b.rs", 10, 10),
        file("crates/c/src/d/e.rs", 20, 20),
        file("crates/a/src/b/tests.rs", 100, 100),
        file("crates/a/src/b/tests/f.rs", 100, 100),
        file("crates/a/tests/it/main.rs", 100, 100),
        file("crates/hobnob-mcp-testkit/src/lib.rs", 100, 0),
        file("xtask/src/main.rs", 100, 0),
    ];
    let export = format!(r#"{{"data":[{{"files":[{}]}}]}}"#, files.join(","));
    let expected = "\
| crate | lines | covered |
|---|---:|---:|
| `a` | 20 | 75.0 % |
| `c` | 20 | 100.0 % |
| all | 40 | 87.5 % |
";
    assert_eq!(table(&export, Path::new("/root")).unwrap(), expected);
}

#[test]
fn versions_are_read() {
    let text = "rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.2\n";
    assert_eq!(field(text, "host: "), Some("x86_64-unknown-linux-gnu"));
    assert_eq!(field(text, "LLVM version: ").and_then(major), Some(22));
    assert_eq!(major("14.0.6\n  Optimized build."), Some(14));
}
