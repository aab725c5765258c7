//! The command: reads the tables and the sources, and prints the differences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use proc_macro2::{TokenStream, TokenTree};

use super::check::{Ours, check};
use super::extract::extract;
use super::vocabulary::Vocabulary;
use super::{facts, mapping};

const FACTS: &str = "xtask/schema/facts.tsv";
const MAPPING: &str = "xtask/schema/mapping.tsv";
const TYPES: &str = "crates/hobnob-mcp-types/src";

/// The arguments of `cargo xtask schema`.
#[derive(clap::Args)]
pub struct Args {
    /// First rewrite the facts from the official schemas in `DIR/<revision>/schema.json`.
    #[arg(long, value_name = "DIR")]
    refresh: Option<PathBuf>,
}

/// Compares our types with the facts, after refreshing those if the arguments ask for it.
pub fn run(args: Args) -> anyhow::Result<()> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = home.parent().context("xtask has no folder above it")?;
    if let Some(schemas) = &args.refresh {
        fs::write(root.join(FACTS), refresh(schemas)?)?;
    }
    let text = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let facts = facts::read(&text(FACTS)?)?;
    let entries = mapping::read(&text(MAPPING)?)?;
    let findings = check(&facts, &entries, &read_types(&root.join(TYPES))?);
    for finding in &findings {
        eprintln!("{finding}");
    }
    ensure!(findings.is_empty(), "{} findings about the schemas", findings.len());
    let revisions: BTreeSet<_> = facts.iter().flat_map(|fact| &fact.revisions).collect();
    eprintln!("our types know all {} facts of {} schemas", facts.len(), revisions.len());
    Ok(())
}

/// Makes the table of facts from a folder of schemas.
fn refresh(schemas: &Path) -> anyhow::Result<String> {
    let mut all = Vec::new();
    for folder in fs::read_dir(schemas).with_context(|| schemas.display().to_string())? {
        let folder = folder?;
        let path = folder.path().join("schema.json");
        if !path.is_file() {
            continue;
        }
        let revision = folder.file_name().to_string_lossy().into_owned();
        let broken = || path.display().to_string();
        let schema = serde_json::from_slice(&fs::read(&path)?).with_context(broken)?;
        let shapes = extract(&schema).with_context(broken)?;
        all.extend(shapes.into_iter().map(|(name, shape)| (revision.clone(), name, shape)));
    }
    ensure!(!all.is_empty(), "{}: no `<revision>/schema.json` in it", schemas.display());
    Ok(facts::write(&facts::merge(all)))
}

fn read_types(folder: &Path) -> anyhow::Result<Ours> {
    let mut types = Vocabulary::default();
    let files = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = files.map(|file| Ok(file?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    // By name, so that the macros of `cache` are known to those that use them.
    paths.sort();
    for path in paths {
        let module = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == "rs") {
            types.read(module, &fs::read_to_string(&path)?)?;
        }
    }
    let literals = |file: &str| -> anyhow::Result<BTreeSet<String>> {
        let source = fs::read_to_string(folder.join(file)).with_context(|| file.to_owned())?;
        let tokens = source.parse().map_err(|error| anyhow::anyhow!("{file}: {error}"))?;
        Ok(literals(tokens))
    };
    Ok(Ours { types, methods: literals("method.rs")?, codes: literals("error.rs")? })
}

/// Every literal in a source, without quotes.
fn literals(tokens: TokenStream) -> BTreeSet<String> {
    let of_token = |token| match token {
        TokenTree::Literal(literal) => {
            BTreeSet::from([literal.to_string().trim_matches('"').to_owned()])
        }
        TokenTree::Group(group) => literals(group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) => BTreeSet::new(),
    };
    tokens.into_iter().flat_map(of_token).collect()
}
