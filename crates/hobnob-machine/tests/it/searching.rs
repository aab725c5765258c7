//! Searches and trees: ignore files, filters, pages, cancellation, and entries that stay hidden.

use parking_lot::Mutex;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use hobnob_machine::files::{SearchControl, SearchCursor, SearchError, SearchPage, TotalCount};
use hobnob_policy::{
    ContentPattern, DotFiles, EntryKind, FileSearch, HardLinks, HitCount, IgnoreFiles, LetterCase,
    PatternSyntax, TreeWish,
};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::granted::{Granted, relative, rounds};
use crate::permitted::{search, tree};

pub(crate) fn content(text: &str, syntax: PatternSyntax) -> FileSearch {
    let pattern = ContentPattern { text: text.into(), syntax, case: LetterCase::Sensitive };
    FileSearch { content: Some(pattern), ..FileSearch::default() }
}

fn glob(pattern: &str) -> FileSearch {
    FileSearch { glob: Some(pattern.into()), ..FileSearch::default() }
}

fn find(granted: &Granted, path: &str, wish: &FileSearch) -> SearchPage {
    let control = SearchControl::default();
    search(&granted.root, &relative(path), wish, None, 1000, &control).expect("a page")
}

fn paths(page: &SearchPage) -> Vec<&str> {
    page.hits.iter().map(|hit| hit.path.as_str()).collect()
}

fn fill(granted: &Granted, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = granted.inside.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }
}

fn check(granted: &Granted, path: &str, wish: &FileSearch, expected: &[&str]) {
    let page = find(granted, path, wish);
    assert_eq!(paths(&page), expected, "{wish:?}");
    assert_eq!(page.totals.hits, expected.len() as u64);
}

#[test]
fn names_by_glob_and_part() {
    let granted = Granted::new();
    fill(&granted, &[("a/one.rs", ""), ("a/b/two.rs", ""), ("a/b/Three.RS", ""), ("one.txt", "")]);
    check(&granted, ".", &glob("*.rs"), &["a/b/two.rs", "a/one.rs"]);
    check(&granted, ".", &glob("a/*.rs"), &["a/one.rs"]);
    check(&granted, ".", &glob("a/**/*.rs"), &["a/b/two.rs", "a/one.rs"]);
    check(&granted, "a", &glob("b/*.rs"), &["a/b/two.rs"]);
    check(&granted, "a", &glob("/*.rs"), &["a/one.rs"]);
    check(&granted, ".", &glob("{one,two}.*"), &["a/b/two.rs", "a/one.rs", "one.txt"]);
    let name = |name: &str| FileSearch { name: Some(name.into()), ..FileSearch::default() };
    check(&granted, ".", &name("ONE"), &["a/one.rs", "one.txt"]);
    check(&granted, ".", &name("three.rs"), &["a/b/Three.RS"]);
    check(
        &granted,
        ".",
        &name("."),
        &["a/b/Three.RS", "a/b/two.rs", "a/one.rs", "one.txt", "open.txt"],
    );
    let folders = FileSearch { kind: Some(EntryKind::Folder), ..FileSearch::default() };
    check(&granted, ".", &folders, &["a", "a/b"]);
    let shallow = FileSearch { depth: Some(1), ..FileSearch::default() };
    check(&granted, ".", &shallow, &["a", "one.txt", "open.txt"]);
    let two = FileSearch { depth: Some(2), ..glob("*.rs") };
    check(&granted, ".", &two, &["a/one.rs"]);
    check(&granted, "a/one.rs", &FileSearch::default(), &["a/one.rs"]);
}

#[test]
fn sizes_and_times() {
    let granted = Granted::new();
    fill(&granted, &[("small", "1"), ("large", "123456789"), ("folder/x", "12345")]);
    let sized = FileSearch { min_size: Some(2), max_size: Some(5), ..FileSearch::default() };
    check(&granted, ".", &sized, &["folder/x"]);
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
    let file = fs::File::options().write(true).open(granted.inside.join("small")).expect("open");
    file.set_modified(old).expect("a time");
    let before =
        FileSearch { modified_before: Some(old + Duration::from_secs(1)), ..FileSearch::default() };
    check(&granted, ".", &before, &["small"]);
    let since = FileSearch { modified_since: Some(old + Duration::from_secs(1)), ..sized };
    check(&granted, ".", &since, &["folder/x"]);
}

#[test]
fn lines_with_their_places() {
    let granted = Granted::new();
    fill(
        &granted,
        &[("a.txt", "one\r\nfür two two\nthree"), ("b.bin", "two\0two"), ("c", "Two\n")],
    );
    let page = find(&granted, ".", &content("two", PatternSyntax::Literal));
    let line = page.hits[0].line.as_ref().expect("a line");
    assert_eq!((line.number, line.text.as_str(), line.cut), (2, "für two two", false));
    assert_eq!(line.spans, [5..8, 9..12]);
    assert_eq!((page.totals.hits, page.totals.files, page.totals.skipped.binary), (1, 1, 1));
    let mut wish = content(r"^t\w+$", PatternSyntax::Regex);
    check(&granted, ".", &wish, &["a.txt"]);
    for (case, pattern, expected) in [
        (LetterCase::Insensitive, "TWO", &["a.txt", "c"][..]),
        (LetterCase::Smart, "two", &["a.txt", "c"]),
        (LetterCase::Smart, "Two", &["c"]),
    ] {
        let pattern = ContentPattern { text: pattern.into(), syntax: PatternSyntax::Literal, case };
        wish.content = Some(pattern);
        check(&granted, ".", &wish, expected);
    }
    check(&granted, ".", &content("w.o", PatternSyntax::Literal), &[]);
    check(&granted, "a.txt", &content("three", PatternSyntax::Literal), &["a.txt"]);
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let granted = Granted::new();
    let text = format!("{}needle{}\n", "ä".repeat(5_000), "ö".repeat(5_000));
    fill(&granted, &[("long", &text)]);
    let page = find(&granted, "long", &content("needle", PatternSyntax::Literal));
    let line = page.hits[0].line.as_ref().expect("a line");
    assert!(line.cut && line.text.len() <= 1000, "{} bytes", line.text.len());
    assert_eq!(&line.text[line.spans[0].clone()], "needle");
}

#[test]
fn ignore_files_are_honoured() {
    let granted = Granted::new();
    let files = [
        (".gitignore", "*.log\n/build/\n!keep.log\n# a comment\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("build/out", ""),
        ("src/build/in", ""),
        ("src/.gitignore", "*.tmp\n!important.log\n"),
        ("src/x.tmp", ""),
        ("src/important.log", ""),
        ("src/other.log", ""),
        (".dot", ""),
        ("wanted/.ignore", "!*.log\n"),
        ("wanted/b.log", ""),
        ("repo/.git/info/exclude", "excluded\n"),
        ("repo/excluded", ""),
        ("repo/c.log", ""),
        ("repo/.gitignore", "only-here\n"),
        ("repo/only-here", ""),
    ];
    fill(&granted, &files);
    let found = FileSearch { kind: Some(EntryKind::File), ..FileSearch::default() };
    // Git's rules stop at a repository inside, those of `.ignore` do not.
    let expected =
        ["keep.log", "open.txt", "repo/c.log", "src/build/in", "src/important.log", "wanted/b.log"];
    check(&granted, ".", &found, &expected);
    // In a search from a subfolder, the rules of its parents still apply.
    check(&granted, "src", &found, &["src/build/in", "src/important.log"]);
    let all =
        FileSearch { ignore_files: IgnoreFiles::Disregard, dot_files: DotFiles::Include, ..found };
    assert_eq!(find(&granted, ".", &all).totals.hits, files.len() as u64 + 1);
}

/// Random folders with files and rules.
fn fill_by_lot(granted: &Granted, seed: u64) {
    let rules = [
        "*.o",
        "/top",
        "dir/",
        "!a.o",
        "deep/**/x",
        "**/gone",
        "q?z",
        "[a-c]x",
        "sp ace",
        "a/b",
        "!*",
        "/*",
        "er",
        "!/deep",
        "b ",
        "\\!x",
        "#x",
        "plain/",
    ];
    let names = ["a.o", "b.o", "top", "dir", "x", "gone", "quz", "bx", "sp ace", "a", "b", "plain"];
    let mut random = fastrand::Rng::with_seed(seed);
    let folders = ["", "deep", "deep/er", "deep/er/dir", "a", "dir", "other/dir"];
    let folders = folders.map(|folder| granted.inside.join(folder));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("folders"));
    fs::create_dir_all(granted.inside.join(".git/info")).expect("a repository");
    fs::write(granted.inside.join(".git/info/exclude"), random.choice(rules).expect("one"))
        .expect("a file");
    for folder in &folders {
        for name in names {
            if !folder.join(name).exists() && random.bool() {
                fs::write(folder.join(name), "text").expect("a file");
            }
        }
        for file in [".gitignore", ".ignore"] {
            if random.u8(..3) == 0 {
                let lines = [(); 3].map(|()| random.choice(rules).expect("one"));
                fs::write(folder.join(file), lines.join("\n")).expect("a file");
            }
        }
    }
}

#[test]
fn honours_ignore_files_like_rg() {
    let options = ["--files", "--no-ignore-global", "--no-ignore-parent", "--no-config"];
    for seed in 0..rounds(20, 300) as u64 {
        let granted = Granted::new();
        fill_by_lot(&granted, seed);
        let mut rg = Command::new("rg");
        let Ok(output) = rg.args(options).current_dir(&granted.inside).output() else {
            println!("skipped: rg is not installed");
            return;
        };
        let text = String::from_utf8(output.stdout).expect("text");
        let mut expected: Vec<_> = text.lines().filter(|it| !it.starts_with("hidden/")).collect();
        expected.sort_unstable();
        let files = FileSearch { kind: Some(EntryKind::File), ..FileSearch::default() };
        let page = find(&granted, ".", &files);
        assert_eq!(paths(&page), expected, "seed {seed}");
    }
}

#[test]
fn pages_are_complete_and_stable() {
    let granted = Granted::new();
    for number in 0..300 {
        let text = "needle\nhay\nneedle\n".repeat(number % 4);
        fill(&granted, &[(&format!("d{}/f{number:03}", number % 7), &text)]);
    }
    let wish = content("needle", PatternSyntax::Literal);
    let all = search(&granted.root, &relative("."), &wish, None, 10_000, &SearchControl::default())
        .expect("all");
    let mut hits = Vec::new();
    let mut cursor: Option<SearchCursor> = None;
    loop {
        let control = SearchControl::default();
        let page = search(&granted.root, &relative("."), &wish, cursor.as_ref(), 37, &control)
            .expect("a page");
        assert_eq!(page.totals, all.totals, "totals are the same on every page");
        assert_eq!(control.progress().matches, all.totals.hits);
        assert!(page.hits.len() <= 37);
        hits.extend(page.hits);
        match page.next {
            Some(next) => cursor = Some(next.to_string().parse().expect("it is text")),
            None => break,
        }
    }
    assert_eq!(hits, all.hits);
    assert_eq!(hits.len() as u64, all.totals.hits);
    // A cursor of one search is not valid for another.
    let other = content("hay", PatternSyntax::Literal);
    let first = search(&granted.root, &relative("."), &wish, None, 5, &SearchControl::default())
        .expect("a page");
    let foreign = search(
        &granted.root,
        &relative("."),
        &other,
        first.next.as_ref(),
        5,
        &SearchControl::default(),
    );
    assert!(matches!(foreign, Err(SearchError::Cursor(_))));
    assert!("nonsense".parse::<SearchCursor>().is_err());
}

#[test]
fn a_full_page_ends_a_search_that_does_not_count() {
    let granted = Granted::new();
    for number in 0..500 {
        fill(&granted, &[(&format!("d{:02}/f{number:03}", number % 50), "needle\nneedle\n")]);
    }
    let counted = content("needle", PatternSyntax::Literal);
    let wish = FileSearch { count: HitCount::UntilPageIsFull, ..counted.clone() };
    let find = |wish: &FileSearch, after: Option<&SearchCursor>| {
        let control = SearchControl::default();
        search(&granted.root, &relative("."), wish, after, 7, &control).expect("a page")
    };
    let (first, all) = (find(&wish, None), find(&counted, None));
    assert_eq!((&first.hits, &first.next), (&all.hits, &all.next));
    assert_eq!((all.totals.hits, all.totals.count), (1000, TotalCount::Exact));
    assert_eq!(first.totals.count, TotalCount::AtLeast);
    assert!(first.totals.hits < 1000, "{:?}", first.totals);
    // A cursor is valid for its search with and without a count.
    let (second, all) = (find(&wish, all.next.as_ref()), find(&counted, first.next.as_ref()));
    assert_eq!((second.hits, second.next), (all.hits, all.next));
    let names = FileSearch { count: HitCount::UntilPageIsFull, ..FileSearch::default() };
    let page = find(&names, None);
    let expected = ["d00", "d00/f000", "d00/f050", "d00/f100", "d00/f150", "d00/f200", "d00/f250"];
    assert_eq!((paths(&page), page.totals.count), (expected.to_vec(), TotalCount::AtLeast));
    // One file with many lines is left early too.
    fill(&granted, &[("d00/f000", &"needle\n".repeat(100))]);
    let page =
        search(&granted.root, &relative("d00/f000"), &wish, None, 7, &SearchControl::default());
    assert_eq!(page.expect("a page").totals.hits, 8);
}

#[test]
fn hits_are_handed_out_as_they_are_found() {
    let granted = Granted::new();
    for number in 0..100 {
        fill(&granted, &[(&format!("d{}/f{number:03}", number % 7), "needle\n")]);
    }
    let found = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&found);
    let control = SearchControl::with_hits(move |hit| {
        heard.lock().push(hit.clone());
    });
    let wish = content("needle", PatternSyntax::Literal);
    let page = search(&granted.root, &relative("."), &wish, None, 10, &control).expect("a page");
    let mut found = found.lock().clone();
    assert!(page.hits.iter().all(|hit| found.contains(hit)), "the page is among them");
    let heard = found.len();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found.dedup();
    assert_eq!(found.len(), heard, "each only once");
}

#[test]
fn what_is_outside_or_hidden_is_not_found() {
    let granted = Granted::new();
    symlink("../outside", granted.inside.join("link")).expect("link");
    symlink("../outside/secret.txt", granted.inside.join("file")).expect("link");
    fs::hard_link(granted.above.join("outside/secret.txt"), granted.inside.join("hard"))
        .expect("a name");
    assert!(
        Command::new("mkfifo").arg(granted.inside.join("fifo")).status().expect("runs").success()
    );
    let page = find(&granted, ".", &content("secret", PatternSyntax::Literal));
    assert_eq!((paths(&page), page.totals.skipped.hard_linked), (vec![], 1));
    check(&granted, ".", &FileSearch::default(), &["fifo", "file", "hard", "link", "open.txt"]);
    let control = SearchControl::default();
    let wish = FileSearch::default();
    for path in ["link", "hidden", "fifo", "missing"] {
        search(&granted.root, &relative(path), &wish, None, 10, &control).expect_err(path);
    }
    let allowed = Granted::with(HardLinks::Allowed, |above| vec![above.join("granted/hidden")]);
    fs::hard_link(allowed.inside.join("open.txt"), allowed.inside.join("hard")).expect("a name");
    check(&allowed, ".", &content("anybody", PatternSyntax::Literal), &["hard", "open.txt"]);
}

#[test]
fn a_walk_is_not_led_out_by_a_rename() {
    let granted = Granted::new();
    fill(&granted, &[("a/swapped/deep/x.txt", "inside"), ("a/z", "")]);
    fs::create_dir_all(granted.above.join("outside/deep")).expect("a folder");
    fs::write(granted.above.join("outside/deep/y.txt"), "a secret outside").expect("a file");
    symlink("../outside", granted.inside.join("link")).expect("link");
    let stop = AtomicBool::new(false);
    let wish = content("secret", PatternSyntax::Literal);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (one, other) = (granted.inside.join("link"), granted.inside.join("a/swapped"));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("exchanged");
            }
        });
        for round in 0..rounds(300, 10_000) {
            let page = find(&granted, ".", &wish);
            assert_eq!(paths(&page), Vec::<&str>::new(), "round {round}");
            let names = find(&granted, ".", &glob("y.txt"));
            assert_eq!(names.totals.hits, 0, "round {round}");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_cancelled_search_stops() {
    let granted = Granted::new();
    let control = SearchControl::default();
    control.cancel();
    let wish = content("x", PatternSyntax::Literal);
    let cancelled = search(&granted.root, &relative("."), &wish, None, 10, &control);
    let text = cancelled.expect_err("cancelled").to_string();
    assert_eq!(text, "`.` was not finished: the action was cancelled");
    // Cancelled while it runs: it ends soon, with an error unless it was already done.
    for number in 0..200 {
        fill(&granted, &[(&format!("f{number}"), &"some text without it\n".repeat(1000))]);
    }
    let control = SearchControl::default();
    thread::scope(|scope| {
        let running = scope.spawn(|| {
            let path = relative(".");
            search(&granted.root, &path, &wish, None, 10, &control).map(|page| page.totals)
        });
        while control.progress().files == 0 && !running.is_finished() {
            thread::yield_now();
        }
        control.cancel();
        if let Ok(totals) = running.join().expect("no panic") {
            assert_eq!(totals.candidates, 201);
        }
    });
}

#[test]
fn hostile_patterns_end_soon() {
    let granted = Granted::new();
    fill(&granted, &[("text", &"a".repeat(100_000))]);
    check(&granted, ".", &content("(a*)*(a|aa)+$b", PatternSyntax::Regex), &[]);
    check(&granted, ".", &content("(x+x+)+y", PatternSyntax::Regex), &[]);
    let control = SearchControl::default();
    for pattern in ["(", "a{1000}{1000}{1000}", "[z-a]", "\\1", "(?=x)"] {
        let wish = content(pattern, PatternSyntax::Regex);
        let refused = search(&granted.root, &relative("."), &wish, None, 10, &control);
        let text = refused.expect_err(pattern).to_string();
        assert!(text.starts_with(&format!("`{pattern}` cannot be searched for: ")), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
    search(&granted.root, &relative("."), &glob("[a"), None, 10, &control).expect_err("a bad glob");
}

#[test]
fn trees_are_sorted_and_bounded() {
    let granted = Granted::new();
    fill(
        &granted,
        &[("a/b/c/d", ""), ("a/z", ""), ("b.txt", ""), (".dot", ""), (".gitignore", "b.*\n")],
    );
    let wish = TreeWish {
        depth: 3,
        rows: 100,
        ignore_files: IgnoreFiles::Honour,
        dot_files: DotFiles::Skip,
    };
    let drawn = |path: &str, wish: TreeWish| {
        let tree = tree(&granted.root, &relative(path), &wish).expect("a tree");
        let rows = tree.rows.iter().map(|row| format!("{}{}", " ".repeat(row.depth), row.name));
        (rows.collect::<Vec<_>>().join("\n"), tree.cut)
    };
    assert_eq!(drawn(".", wish), ("a\n b\n  c\n z\nopen.txt".into(), false));
    assert_eq!(drawn(".", TreeWish { rows: 2, ..wish }), ("a\n b".into(), true));
    assert_eq!(drawn("a/b", wish), ("c\n d".into(), false));
    let all = TreeWish {
        depth: 1,
        ignore_files: IgnoreFiles::Disregard,
        dot_files: DotFiles::Include,
        ..wish
    };
    assert_eq!(drawn(".", all), (".dot\n.gitignore\na\nb.txt\nopen.txt".into(), false));
}
