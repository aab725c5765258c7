//! Turns a profile into the presentation that services show in its view.
//!
//! Called once for each view. It fails only if the profile names an invalid namespace.

use crate::services::service_names;
use anyhow::Context as _;
use hobnob_config::{ErrorCodes, Profile, ProfileDialect};
use hobnob_services::{
    Dialect, Failure, ListedOwner, Masking, NamespaceRule, Presentation, ProjectFrom, Success,
};
use hobnob_store::memory::Namespace;
use std::collections::BTreeMap;

/// The presentation of services in a view; the native one without a profile.
pub(crate) fn presentation(
    profile: Option<&Profile>,
    project_from: ProjectFrom,
    listed: ListedOwner,
) -> anyhow::Result<Presentation> {
    let native = Presentation { project_from, listed, ..Presentation::default() };
    let Some(profile) = profile else { return Ok(native) };
    let scheme = |service: &str| Some((service.into(), profile.uri_scheme(service)?.to_owned()));
    Ok(Presentation {
        uri_schemes: service_names().into_iter().filter_map(scheme).collect(),
        codes: codes(&profile.errors.codes),
        failure_prefix: profile.errors.prefix.clone().unwrap_or_default(),
        success: match profile.errors.explicit_success {
            true => Success::Spelled,
            false => Success::Implied,
        },
        namespaces: namespaces(profile)?,
        masking: masking(profile),
        project_from: match profile.memory.ask_roots {
            true => native.project_from,
            false => ProjectFrom::Folder,
        },
        logger: profile.server.name.clone(),
        dialect: match profile.dialect {
            ProfileDialect::Native => Dialect::Native,
            ProfileDialect::SysMcp => Dialect::SysMcp,
        },
        listed,
        tools: native.tools,
    })
}

fn codes(codes: &ErrorCodes) -> BTreeMap<Failure, i64> {
    let all = [
        (Failure::NotFound, codes.not_found),
        (Failure::Blocked, codes.blocked),
        (Failure::Model, codes.model),
        (Failure::PromptNotFound, codes.prompt_not_found),
        (Failure::Invalid, codes.invalid),
        (Failure::Storage, codes.storage),
        (Failure::Sync, codes.sync),
        (Failure::NotGranted, codes.not_granted),
    ];
    all.into_iter().filter_map(|(failure, code)| Some((failure, code?.into()))).collect()
}

/// A refusal mentions the argument `redact` only to callers who can see it.
fn masking(profile: &Profile) -> Masking {
    let shows = |tool: &str| {
        let tool = profile.tool(tool);
        let listed = tool.arguments.is_none_or(|names| names.iter().any(|name| name == "redact"));
        tool.enabled != Some(false) && listed
    };
    let closed = profile.memory.namespaces.is_some();
    if shows("memory_capture") && !closed { Masking::Offered } else { Masking::Hidden }
}

fn namespaces(profile: &Profile) -> anyhow::Result<NamespaceRule> {
    let Some(names) = &profile.memory.namespaces else { return Ok(NamespaceRule::Open) };
    let parse = |name: &String| {
        Namespace::parse(name).with_context(|| format!("`{name}` cannot be a namespace"))
    };
    Ok(NamespaceRule::Closed(names.iter().map(parse).collect::<anyhow::Result<_>>()?))
}
