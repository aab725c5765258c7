//! The page about threats names files and tests; both must exist, so that the page stays true.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Notes the names of all test functions below a folder.
fn tests_below(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_below(&path, names);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut after_mark = false;
            for line in text.lines().map(str::trim_start) {
                let function = line.strip_prefix("async fn ").or(line.strip_prefix("fn "));
                if let Some((name, _)) = function.and_then(|it| it.split_once('('))
                    && after_mark
                {
                    names.insert(name.to_owned());
                }
                let is_mark = line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                after_mark = is_mark || (after_mark && line.starts_with("#["));
            }
        }
    }
}

#[test]
fn files_and_tests_on_the_page_about_threats_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/src/threats.md")).unwrap();
    let mut known = BTreeSet::new();
    tests_below(&root.join("crates"), &mut known);
    assert!(1000 < known.len(), "only {} tests were found", known.len());
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in page.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<_> = line.split(" | ").collect();
        let [_, files, tests] = cells[..] else { panic!("not three cells: {line}") };
        let code = |cell: &str| -> Vec<String> {
            cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let (files, tests) = (code(files), code(tests));
        assert!(!files.is_empty() && !tests.is_empty(), "{line}");
        wrong.extend(files.into_iter().filter(|file| !root.join(file).is_file()));
        wrong.extend(tests.into_iter().filter(|test| !known.contains(test)));
        rows += 1;
    }
    assert!(40 < rows, "only {rows} threats were found");
    assert!(wrong.is_empty(), "they do not exist: {}", wrong.join(", "));
}
