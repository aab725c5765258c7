//! Reads our types' source for what they know: the wire names of fields and values.
//!
//! It reads only top-level items, and the two macros of `choice.rs`, whose input has the syntax of
//! an enum.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail};
use syn::{Attribute, Expr, Fields, Item, ItemEnum, ItemStruct, Lit, LitStr};

/// One of our types in its wire form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Its fields on the wire; true if decoding fails without the field.
    pub(super) fields: BTreeMap<String, bool>,
    /// Its allowed strings, or the values of its tag.
    pub(super) values: BTreeSet<String>,
}

/// All types, by `module::Name`.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(BTreeMap<String, Known>);

impl Vocabulary {
    /// Adds the types of one file.
    pub(super) fn read(&mut self, module: &str, source: &str) -> anyhow::Result<()> {
        let file = syn::parse_file(source).with_context(|| format!("{module}: not Rust"))?;
        for item in &file.items {
            let (name, known) = match item {
                Item::Struct(item) => (item.ident.to_string(), structure(item)?),
                Item::Enum(item) => (item.ident.to_string(), enumeration(item)?),
                Item::Macro(item) if item.mac.path.is_ident("open_enum") => choice(&item.mac)?,
                Item::Macro(item) if item.mac.path.is_ident("tagged_union") => choice(&item.mac)?,
                _ => continue,
            };
            self.0.insert(format!("{module}::{name}"), known);
        }
        Ok(())
    }

    /// Finds a type by `Name`, or by `module::Name` if modules share a name.
    pub(super) fn find(&self, name: &str) -> anyhow::Result<&Known> {
        if let Some(known) = self.0.get(name) {
            return Ok(known);
        }
        let suffix = format!("::{name}");
        let found: Vec<_> = self.0.iter().filter(|(path, _)| path.ends_with(&suffix)).collect();
        match found.as_slice() {
            [(_, known)] => Ok(known),
            [] => bail!("there is no type `{name}`"),
            _ => bail!("there are several types `{name}`: write `module::{name}`"),
        }
    }
}

fn structure(item: &ItemStruct) -> anyhow::Result<Known> {
    let outer = SerdeAttributes::of(&item.attrs)?;
    let Fields::Named(fields) = &item.fields else {
        return Ok(Known::default());
    };
    let mut known = Known::default();
    for field in &fields.named {
        let attributes = SerdeAttributes::of(&field.attrs)?;
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let name = match attributes.rename {
            Some(name) => name,
            None => outer.apply(&name)?,
        };
        let optional = attributes.default || is_option(&field.ty);
        known.fields.insert(name, !optional);
    }
    Ok(known)
}

/// serde reads an absent `Option` as `None`, unless a custom function decodes it.
fn is_option(kind: &syn::Type) -> bool {
    let syn::Type::Path(path) = kind else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Option")
}

fn enumeration(item: &ItemEnum) -> anyhow::Result<Known> {
    let outer = SerdeAttributes::of(&item.attrs)?;
    let mut known = Known::default();
    for variant in &item.variants {
        let attributes = SerdeAttributes::of(&variant.attrs)?;
        let name = match attributes.rename {
            Some(name) => name,
            None => outer.apply(&variant.ident.to_string())?,
        };
        known.values.insert(name);
    }
    Ok(known)
}

/// Reads `open_enum!` and `tagged_union!`: the wire value of a variant is in the place of its
/// discriminant, and the key of the tag is in `#[tag("…")]`.
fn choice(invocation: &syn::Macro) -> anyhow::Result<(String, Known)> {
    let item: ItemEnum = invocation.parse_body().context("a choice that is no enum")?;
    let mut known = Known::default();
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("tag")) {
        let tag = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let tag: LitStr = input.parse()?;
            // A default may follow; it does not matter here.
            let _rest: proc_macro2::TokenStream = input.parse()?;
            Ok(tag)
        })?;
        known.fields.insert(tag.value(), false);
    }
    for variant in &item.variants {
        let Some((_, Expr::Lit(literal))) = &variant.discriminant else {
            bail!("`{}::{}` has no text on the wire", item.ident, variant.ident);
        };
        let Lit::Str(text) = &literal.lit else {
            bail!("`{}::{}` is no text on the wire", item.ident, variant.ident);
        };
        known.values.insert(text.value());
    }
    Ok((item.ident.to_string(), known))
}

/// The `#[serde(…)]` attributes that change names or presence.
#[derive(Default)]
struct SerdeAttributes {
    rename: Option<String>,
    rename_all: Option<String>,
    default: bool,
}

impl SerdeAttributes {
    fn of(attributes: &[Attribute]) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let text = match meta.value() {
                    Ok(value) => Some(value.parse::<LitStr>()?.value()),
                    Err(_) => None,
                };
                if meta.path.is_ident("rename") {
                    found.rename = text;
                } else if meta.path.is_ident("rename_all") {
                    found.rename_all = text;
                } else if meta.path.is_ident("default") {
                    found.default = true;
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn apply(&self, name: &str) -> anyhow::Result<String> {
        match self.rename_all.as_deref() {
            None => Ok(name.to_owned()),
            Some("lowercase") => Ok(name.to_lowercase()),
            Some("camelCase") => Ok(camel(name)),
            Some(other) => bail!("this check does not know rename_all = \"{other}\""),
        }
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        all + letters.as_str()
    })
}
