//! A type with many methods is several types: from a signature, a reader cannot tell what such a function may
//! touch.
//!
//! `command` checks all sources together, since the methods of one type may be in many files. Builders are
//! exempt: their methods are a list of settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::finding::Finding;
use super::source::{Place, Source, home};

/// The maximum number of methods of one type, without those of traits and tests.
const MAX_METHODS: usize = 20;

/// Types that are wider, with their crates, how wide they may be, and why. A limit only ever shrinks.
const EXCEPTIONS: &[(&str, &str, usize, &str)] = &[
    ("hobnob-config", "Places", 29, "one method for each file and folder"),
    ("hobnob-markdown", "Renderer", 30, "one method for each construct of Markdown"),
    ("hobnob-mcp-client", "Client", 33, "one method for each request of the protocol"),
    ("hobnob-mcp-toolbox", "CallContext", 36, "what a handler may do, as authors see it"),
    ("hobnob-mcp-transport", "Outbox", 24, "two sides of one queue under one lock"),
];

/// Every type of the product with too many methods.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut types: BTreeMap<(PathBuf, String), Vec<(&Source, usize)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.place == Place::Product) {
        for (name, line) in methods(source) {
            types.entry((home(&source.path), name)).or_default().push((source, line));
        }
    }
    let limit = |home: &Path, name: &str| {
        let exception = EXCEPTIONS.iter().find(|it| home.ends_with(it.0) && it.1 == name);
        exception.map_or(MAX_METHODS, |it| it.2)
    };
    let wide = types.into_iter().filter(|((home, name), methods)| {
        !name.ends_with("Builder") && limit(home, name) < methods.len()
    });
    wide.filter_map(|((home, name), methods)| {
        let (source, line) = methods.first()?;
        let message = format!(
            "`{name}` has {} methods, the limit is {}: cut it into types with their own state",
            methods.len(),
            limit(&home, &name)
        );
        Some(Finding::new(&source.path, *line, message))
    })
    .collect()
}

/// The methods of a file: the name of their type, and their line.
fn methods(source: &Source) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    collect(&source.syntax.items, source, &mut found);
    found
}

fn collect(items: &[syn::Item], source: &Source, found: &mut Vec<(String, usize)>) {
    for item in items {
        match item {
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, source, found);
                }
            }
            syn::Item::Impl(block) if block.trait_.is_none() => {
                let syn::Type::Path(path) = &*block.self_ty else { continue };
                let Some(name) = path.path.segments.last() else { continue };
                for item in &block.items {
                    let syn::ImplItem::Fn(method) = item else { continue };
                    let line = method.sig.fn_token.span.start().line;
                    if !source.is_test(line) {
                        found.push((name.ident.to_string(), line));
                    }
                }
            }
            _ => {}
        }
    }
}
