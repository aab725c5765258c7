//! Names of functions, and the patterns of a linker script that find them in another build.

use std::collections::BTreeSet;

/// The functions named in what callgrind wrote, as far as they are symbols of the program.
pub(super) fn functions(written: &str, symbols: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in written.lines() {
        // `fn=(12) name`, `cfn=(12) name`; a name stands only where its number appears first.
        let Some(rest) = line.strip_prefix("fn=(").or_else(|| line.strip_prefix("cfn=(")) else {
            continue;
        };
        let Some((_, name)) = rest.split_once(") ") else { continue };
        // A function that calls itself is told apart by a number.
        let name = name.split('\'').next().unwrap_or(name);
        if symbols.contains(name) {
            found.insert(name.to_owned());
        }
    }
    found
}

/// One pattern for each function, or for all that differ only in what depends on the build: the
/// hash at the end of a Rust name, and what a C compiler appends to the parts of a function.
pub(super) fn patterns(functions: &BTreeSet<String>) -> BTreeSet<String> {
    functions.iter().map(|name| pattern(name)).collect()
}

fn pattern(name: &str) -> String {
    const HASH: &str = "17h";
    let stable = match name.rfind(HASH) {
        Some(at) if name.starts_with("_ZN") => &name[..at + HASH.len()],
        _ => name.split('.').next().unwrap_or(name),
    };
    let rest = if stable.len() < name.len() { "*" } else { "" };
    format!(".text.{stable}{rest}")
}

/// The script that puts these before all other code.
pub(super) fn script(patterns: &BTreeSet<String>) -> String {
    let mut text = String::from(
        "/* Made by `cargo xtask start-order`: the functions that run when Hobnob starts, so that \
         they\n   lie side by side and the system maps little else. */\nSECTIONS\n{\n  \
         .text.start : {\n",
    );
    for pattern in patterns {
        text.push_str(&format!("    *({pattern})\n"));
    }
    text.push_str("  }\n}\nINSERT BEFORE .text;\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_build_does_not_change_is_kept_of_a_name() {
        let check = |name: &str, expected: &str| assert_eq!(pattern(name), expected);
        check("_ZN5tokio4park4wait17h0123456789abcdefE", ".text._ZN5tokio4park4wait17h*");
        check("_ZN5tokio4park17h0123456789abcdefE.llvm.77", ".text._ZN5tokio4park17h*");
        check("mi_heap_init.part.0", ".text.mi_heap_init*");
        check("sqlite3_open", ".text.sqlite3_open");
    }

    #[test]
    fn functions_of_libraries_are_left_out() {
        let written = "ob=(1) hobnob\nfn=(1) main\n1 2\ncfn=(2) memcpy\nfn=(1)\nfn=(3) walk'2\n";
        let found = functions(written, &BTreeSet::from(["main", "walk", "idle"]));
        assert_eq!(found, BTreeSet::from(["main".to_owned(), "walk".to_owned()]));
    }
}
