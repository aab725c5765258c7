//! The shape of a file: its header, its name, its size, and the size of its functions.

use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::finding::Finding;
use super::source::{Place, Source};

/// The maximum number of lines of a file, without its tests.
const MAX_FILE_LINES: usize = 600;
/// The maximum number of lines of a function, from its signature to its closing brace.
const MAX_FUNCTION_LINES: usize = 70;
/// The other style of modules, which this repository does not use.
const MOD_FILE: &str = "mod.rs";
/// Names of files and folders that do not say what they contain.
const VAGUE_NAMES: [&str; 5] = ["core", "common", "utils", "helpers", "manager"];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = vague_name(&source.path);
    findings.extend(file_in_its_folder(&source.path));
    findings.extend(header(source));
    findings.extend(file_size(source));
    let mut visitor = Functions { source, findings };
    visitor.visit_file(&source.syntax);
    visitor.findings
}

fn vague_name(path: &Path) -> Vec<Finding> {
    let vague = path.iter().filter_map(|part| {
        let part = part.to_str()?;
        let stem = part.strip_suffix(".rs").unwrap_or(part);
        VAGUE_NAMES.contains(&stem).then_some(stem)
    });
    vague
        .map(|stem| Finding::new(path, 1, format!("`{stem}` says nothing: name the idea")))
        .collect()
}

/// One style of modules everywhere, so that readers always know where the parent is.
fn file_in_its_folder(path: &Path) -> Option<Finding> {
    let folder = path.parent()?.file_name()?.to_str()?;
    let message = format!("the file of a module stands beside its folder: `{folder}.rs`");
    path.ends_with(MOD_FILE).then(|| Finding::new(path, 1, message))
}

fn header(source: &Source) -> Option<Finding> {
    let opens = source.text.starts_with("//!");
    let message = "the file does not open with `//!`: what lives here, who calls it, what must \
                   stay true";
    (!opens).then(|| Finding::new(&source.path, 1, message))
}

fn file_size(source: &Source) -> Option<Finding> {
    if source.place == Place::Test {
        return None;
    }
    let lines = (1..=source.text.lines().count()).filter(|line| !source.is_test(*line)).count();
    let message = || format!("{lines} lines, the limit is {MAX_FILE_LINES}");
    (MAX_FILE_LINES < lines).then(|| Finding::new(&source.path, 1, message()))
}

/// Visits every function with a body.
struct Functions<'source> {
    source: &'source Source,
    findings: Vec<Finding>,
}

impl Functions<'_> {
    fn judge(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.span().start().line;
        if self.source.is_test(line) {
            return;
        }
        let name = &signature.ident;
        let mut report =
            |message| self.findings.push(Finding::new(&self.source.path, line, message));
        let lines = block.span().end().line + 1 - line;
        if MAX_FUNCTION_LINES < lines {
            report(format!("fn {name} has {lines} lines, the limit is {MAX_FUNCTION_LINES}"));
        }
        if self.source.path.ends_with("lib.rs") {
            report(format!("fn {name}: lib.rs holds the header, `mod` lines and re-exports only"));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.judge(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.judge(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.judge(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
