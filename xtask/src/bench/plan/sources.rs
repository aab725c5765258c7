//! What is measured of our sources: building the program as a newcomer does, and as packages do.

use super::job::{Job, Transport, Work, column_at_most};
use super::kind::Kind;

pub(super) fn build() -> Vec<Job> {
    // Processor minutes for whoever tries it out, megabytes for whoever downloads it.
    [("the README's command", "release", (0, 8.0)), ("as packaged", "dist", (2, 20.0))]
        .map(|(case, profile, (column, limit))| Job {
            kind: Kind::Build,
            case: format!("{case}, --profile {profile}"),
            transport: Transport::Sources(profile),
            work: Work::Build,
            targets: vec![column_at_most(column, limit)],
            other: None,
        })
        .into()
}
