//! Random trees of links: a read returns the file that the system finds inside, and never another.

use std::fs;
use std::os::unix::fs::symlink;

use hobnob_machine::files::FileRefusal;
use hobnob_policy::RelativePath;
use proptest::prelude::*;

use crate::granted::Granted;

const NAMES: &str = "(a|b|c|f|l|m|n)";

fn path() -> impl Strategy<Value = String> {
    proptest::string::string_regex(&format!("{NAMES}(/({NAMES}|\\.\\.)){{0,4}}"))
        .expect("a pattern")
}

fn target() -> impl Strategy<Value = String> {
    let text = format!("(\\.\\./){{0,3}}{NAMES}(/({NAMES}|\\.|\\.\\.)){{0,3}}");
    proptest::string::string_regex(&text).expect("a pattern")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_lead_where_the_system_says_or_nowhere(
        links in prop::collection::vec(("(a/|a/b/|c/)?(l|m|n)", target()), 0..8),
        paths in prop::collection::vec(path(), 20),
    ) {
        let granted = Granted::new();
        for folder in ["a", "a/b", "c"] {
            fs::create_dir_all(granted.inside.join(folder)).expect("folders");
        }
        for file in ["f", "a/f", "a/b/f", "c/f"] {
            fs::write(granted.inside.join(file), format!("file {file}")).expect("a file");
        }
        for outside in ["f", "outside/f"] {
            fs::write(granted.above.join(outside), "outside").expect("a file");
        }
        for (link, target) in &links {
            // The first link of a name stays.
            let _ = symlink(target, granted.inside.join(link));
        }
        for path in &paths {
            let Ok(relative) = RelativePath::parse(path) else { continue };
            let real = fs::canonicalize(granted.inside.join(relative.to_path()));
            let real = real.ok().filter(|real| real.is_file());
            match (granted.text(path), real) {
                (Ok(text), Some(real)) => {
                    prop_assert!(real.starts_with(&granted.inside), "{path} {real:?}");
                    prop_assert_eq!(text, fs::read_to_string(real).expect("text"));
                }
                (Ok(text), None) => prop_assert!(false, "{path} gave {text}"),
                // A path that leaves the folder is refused, even if it comes back.
                (Err(error), Some(_)) => {
                    prop_assert!(matches!(error.refusal(), FileRefusal::Outside), "{error}");
                }
                (Err(_), None) => {}
            }
        }
    }
}
