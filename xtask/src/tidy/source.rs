//! One source file: its text, its syntax tree, and the lines that are tests.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::finding::Finding;
use super::tokens::{Token, flatten};

/// The kind of code in a file; some rules depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Shipped, or built exactly like shipped code.
    Product,
    /// Run only by developers: commands, benchmarks, the test kit.
    Tool,
    Test,
}

/// A parsed file, with everything that several rules need.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) syntax: syn::File,
    pub(crate) tokens: Vec<Token>,
    tests: Vec<RangeInclusive<usize>>,
}

impl Source {
    /// Parses the text; a file that is not valid Rust is a finding.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, Finding> {
        let broken = |line, what: String| Finding::new(path, line, format!("not Rust: {what}"));
        let syntax = syn::parse_file(text)
            .map_err(|error| broken(error.span().start().line, error.to_string()))?;
        let stream: proc_macro2::TokenStream =
            text.parse().map_err(|error: proc_macro2::LexError| broken(1, error.to_string()))?;
        let mut finder = TestFinder::default();
        finder.visit_file(&syntax);
        Ok(Self {
            path: path.into(),
            text: text.into(),
            place: place(path),
            syntax,
            tokens: flatten(stream),
            tests: finder.ranges,
        })
    }

    /// Whether a line belongs to a test.
    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.place == Place::Test || self.tests.iter().any(|range| range.contains(&line))
    }
}

/// The folder of the crate that a file belongs to.
pub(crate) fn home(path: &Path) -> PathBuf {
    let depth = if path.starts_with("crates") { 2 } else { 1 };
    path.iter().take(depth).collect()
}

fn place(path: &Path) -> Place {
    let folder = |name: &str| path.components().any(|part| part.as_os_str() == name);
    let file = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    if folder("tests") || file == "tests.rs" {
        return Place::Test;
    }
    let tools = ["xtask", "bench", "benches", "fuzz", "loom", "hobnob-mcp-testkit"];
    if tools.into_iter().any(folder) { Place::Tool } else { Place::Product }
}

/// Collects the lines of every item under `#[cfg(test)]` or `#[test]`.
#[derive(Default)]
struct TestFinder {
    ranges: Vec<RangeInclusive<usize>>,
}

impl TestFinder {
    /// Records the item if its attributes make it a test; returns whether they do.
    fn claim(&mut self, attributes: &[syn::Attribute], item: &impl Spanned) -> bool {
        let test = attributes.iter().any(is_test);
        if test {
            let span = item.span();
            self.ranges.push(span.start().line..=span.end().line);
        }
        test
    }
}

fn is_test(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    if path.is_ident("cfg") {
        let mut test = false;
        // Only the plain form counts: `cfg(not(test))` is product code.
        let _ = attribute.parse_nested_meta(|meta| {
            test |= meta.path.is_ident("test");
            Ok(())
        });
        return test;
    }
    path.segments.last().is_some_and(|last| last.ident == "test")
}

impl<'ast> Visit<'ast> for TestFinder {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !self.claim(&item.attrs, item) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.claim(&item.attrs, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !self.claim(&item.attrs, item) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.claim(&item.attrs, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.claim(&item.attrs, item);
    }
}
