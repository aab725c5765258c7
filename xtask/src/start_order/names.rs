//! Names of functions, and the patterns of a linker script that find them in another build.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What runs in a runner of commands, which is a process of its own and is not traced.
const RUNNER: [&str; 2] =
    [".text._ZN18hobnob_mcp_process6runner*", ".text._ZN18hobnob_mcp_process10supervisor*"];

/// Functions of the program by what runs them.
pub(super) struct Traced {
    /// Those that each kind of call runs.
    pub(super) by_call: Vec<BTreeSet<String>>,
    /// Those that run in a start over standard input or over HTTP.
    pub(super) by_start: BTreeSet<String>,
    /// Every function of the program, whether it runs or not.
    pub(super) symbols: BTreeSet<String>,
}

/// The functions in what callgrind wrote and how often each was called, as far as they are symbols of
/// the program.
pub(super) fn functions(written: &str, symbols: &BTreeSet<String>) -> BTreeMap<String, u64> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut found = BTreeMap::new();
    let mut called = None;
    for line in written.lines() {
        // `fn=(12) name`, `cfn=(12) name`; a name stands only where its number appears first.
        if let Some(rest) = line.strip_prefix("fn=(").or_else(|| line.strip_prefix("cfn=(")) {
            let Some((number, name)) = rest.split_once(')') else { continue };
            if let Some(name) = name.strip_prefix(' ') {
                // A function that calls itself is told apart by a number.
                names.insert(number, name.split('\'').next().unwrap_or(name));
            }
            called = names.get(number).copied().filter(|name| symbols.contains(*name));
            if let Some(name) = called {
                found.entry(name.to_owned()).or_default();
            }
        }
        // `calls=3 16` stands below the one that is called.
        let count =
            line.strip_prefix("calls=").and_then(|rest| rest.split(' ').next()?.parse().ok());
        if let (Some(name), Some::<u64>(count)) = (called, count) {
            *found.entry(name.to_owned()).or_default() += count;
        }
    }
    found
}

/// What finds a function in a build by the same compiler with the same dependencies. Only what the
/// optimiser appends to a name depends on more.
fn exact_pattern(name: &str) -> String {
    match name.split_once(".llvm.") {
        Some((stable, _)) => format!(".text.{stable}*"),
        None => format!(".text.{name}"),
    }
}

/// What finds a function in any build, and all that differ from it only in what depends on the build:
/// the hash at the end of a Rust name, and what a C compiler appends to the parts of a function.
fn lasting_pattern(name: &str) -> String {
    const HASH: &str = "17h";
    let stable = match name.rfind(HASH) {
        Some(at) if name.starts_with("_ZN") => &name[..at + HASH.len()],
        _ => name.split('.').next().unwrap_or(name),
    };
    let rest = if stable.len() < name.len() { "*" } else { "" };
    format!(".text.{stable}{rest}")
}

/// How many functions a pattern may find. Those of more are generic ones, of which few run.
const FEW: usize = 16;

/// The patterns in the order of the script, each only once: what runs, and then what finds it if its
/// name has changed, at last what finds many functions.
pub(super) fn groups(traced: &Traced) -> Vec<BTreeSet<String>> {
    let mut groups = in_order(traced, exact_pattern);
    groups.insert(1, RUNNER.map(str::to_owned).into());
    let mut lasting = in_order(traced, lasting_pattern);
    for group in &mut lasting {
        group.retain(|pattern| !groups.iter().any(|before| before.contains(pattern)));
    }
    let finds_many = |pattern: &String| FEW < matches(pattern, &traced.symbols);
    let many: Vec<BTreeSet<String>> =
        lasting.iter_mut().map(|group| group.extract_if(.., finds_many).collect()).collect();
    groups.into_iter().chain(lasting).chain(many).collect()
}

/// What most kinds of calls run, what one kind after the other runs besides, and the rest of the start.
fn in_order(traced: &Traced, pattern: fn(&str) -> String) -> Vec<BTreeSet<String>> {
    let patterns =
        |names: &BTreeSet<String>| names.iter().map(|it| pattern(it)).collect::<BTreeSet<_>>();
    let kinds: Vec<_> = traced.by_call.iter().map(patterns).collect();
    let is_common = |name: &&String| {
        kinds.len() <= 2 * kinds.iter().filter(|kind| kind.contains(*name)).count()
    };
    let common: BTreeSet<_> = kinds.iter().flatten().filter(is_common).cloned().collect();
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for group in [common].into_iter().chain(kinds).chain([patterns(&traced.by_start)]) {
        let is_new = |name: &String| !groups.iter().any(|before| before.contains(name));
        groups.push(group.into_iter().filter(is_new).collect());
    }
    groups
}

/// How many of the functions a pattern finds.
fn matches(pattern: &str, symbols: &BTreeSet<String>) -> usize {
    let name = pattern.trim_start_matches(".text.");
    match name.strip_suffix('*') {
        Some(begin) => {
            let from = symbols.range(begin.to_owned()..);
            from.take_while(|symbol| symbol.starts_with(begin)).count()
        }
        None => usize::from(symbols.contains(name)),
    }
}

/// The script that puts these groups, in their order, before all other code.
pub(super) fn script(groups: &[BTreeSet<String>]) -> String {
    let mut text = String::from(
        "/* Made by `cargo xtask start-order`: the functions that run in calls and when Hobnob starts, \
         so that\n   they lie side by side and the system maps little else. */\nSECTIONS\n{\n  \
         .text.start : {\n",
    );
    for pattern in groups.iter().flatten() {
        text.push_str(&format!("    *({pattern})\n"));
    }
    text.push_str("  }\n}\nINSERT BEFORE .text;\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_the_same_build_and_in_another() {
        let check = |name: &str, exact: &str, lasting: &str| {
            assert_eq!(exact_pattern(name), format!(".text.{exact}"));
            assert_eq!(lasting_pattern(name), format!(".text.{lasting}"));
        };
        let hashed = "_ZN5tokio4park4wait17h0123456789abcdefE";
        check(hashed, hashed, "_ZN5tokio4park4wait17h*");
        check(&format!("{hashed}.llvm.77"), &format!("{hashed}*"), "_ZN5tokio4park4wait17h*");
        check("mi_heap_init.part.0", "mi_heap_init.part.0", "mi_heap_init*");
        check("sqlite3_open", "sqlite3_open", "sqlite3_open");
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_calls_share_comes_first_and_nothing_twice() {
        let many = (0..=FEW).map(|at| format!("_ZN4poll17h{at:016x}E"));
        let (poll, wait) = ("_ZN4poll17h0000000000000003E", "_ZN4wait17h0000000000000001E");
        let traced = Traced {
            by_call: vec![names(&["parse", "run"]), names(&["parse"]), names(&["find", wait])],
            by_start: names(&["main", "parse", "find", poll]),
            symbols: many.chain(["parse".to_owned(), wait.to_owned()]).collect(),
        };
        let found = groups(&traced);
        let (exact_poll, exact_wait) = (format!(".text.{poll}"), format!(".text.{wait}"));
        let expected: [&[&str]; 6] = [
            &[".text.parse"],
            &RUNNER,
            &[".text.run"],
            &[],
            &[".text.find", &exact_wait],
            &[".text.main", &exact_poll],
        ];
        assert_eq!(found[..6], expected.map(names));
        let last: Vec<_> = found[6..].iter().flatten().collect();
        assert_eq!(last, [".text._ZN4wait17h*", ".text._ZN4poll17h*"]);
    }

    #[test]
    fn functions_of_libraries_are_left_out() {
        let written = "ob=(1) hobnob\nfn=(1) main\n1 2\ncfn=(2) memcpy\ncalls=9 0\nfn=(1)\n\
                       cfn=(3) walk'2\ncalls=2 16\n1 5\ncfn=(3)\ncalls=3 16\n";
        let found = functions(written, &names(&["main", "walk", "idle"]));
        assert_eq!(found, BTreeMap::from([("main".to_owned(), 0), ("walk".to_owned(), 5)]));
    }
}
