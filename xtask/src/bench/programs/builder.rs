//! Builds the programs that a group needs, and only those that the command line wants.

use std::path::PathBuf;

use crate::bench::arguments::Args;
use crate::bench::artifact::{Artifact, Profile};
use crate::bench::kind::OURS;
use crate::workspace::Workspace;

/// A program under its name, or why it is missing.
pub(super) type Named<T> = (String, anyhow::Result<T>);

/// Builds everything that is measured in the profile of packages.
#[derive(Clone, Copy)]
pub(super) struct Builder<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) args: &'a Args,
}

impl Builder<'_> {
    /// A program of the benchmark's workspace, which is built as a whole.
    pub(super) fn bench(self, name: &str) -> PathBuf {
        Profile::SHIPPED.program(self.workspace, name)
    }

    /// Builds a program of ours.
    pub(super) fn build(self, artifact: Artifact, package: &str) -> anyhow::Result<PathBuf> {
        artifact.build(self.workspace, Profile::SHIPPED, &[package])
    }

    /// Builds a program of ours under its name in the tables, if the command line wants it.
    pub(super) fn ours(self, artifact: Artifact, package: &str) -> Option<Named<PathBuf>> {
        self.args.wants(OURS).then(|| (OURS.to_owned(), self.build(artifact, package)))
    }

    /// Our binary, and other builds of it.
    pub(super) fn hubs(self) -> impl Iterator<Item = Named<PathBuf>> {
        let others = self.args.other_builds.iter().filter(|(name, _)| self.args.wants(name));
        let others = others.map(|(name, program)| {
            (name.clone(), std::fs::canonicalize(program).map_err(anyhow::Error::from))
        });
        self.ours(Artifact::Program("hobnob"), "hobnob").into_iter().chain(others)
    }
}
