//! What is measured of trees: paths and drawings of deep and of wide ones.

use super::columns::{PART_OF_DRAWING, WHOLE_DRAWING};
use super::effort::Effort;
use super::job::{Job, Transport, Work, column_at_most, words};
use super::kind::Kind;

pub(super) fn walks(effort: &Effort) -> Vec<Job> {
    let nodes = effort.nodes;
    ["chain", "wide", "bush"]
        .map(|form| Job {
            kind: Kind::Trees,
            case: format!("{form}, {nodes} nodes"),
            transport: Transport::Trees,
            work: Work::Itself(words(&format!("{form} {nodes}"))),
            targets: vec![
                column_at_most(0, 10.0),
                column_at_most(PART_OF_DRAWING, 10.0),
                column_at_most(WHOLE_DRAWING, 5_000.0),
            ],
            other: None,
        })
        .into()
}
