//! The memories that the same source captured just before and after one: the context of a turn.
//!
//! Both searches count them a little. Neighbours are ordered by arrival of the captures, which need
//! not be the order of the writes. Found are active memories with the same source, scope and owner,
//! not many captures (of all owners) away; a caller who can reach the one reaches the others.

use super::work::SearchWork;
use crate::columns::number;
use crate::error::Result;
use crate::value::values;
use hobnob_store::Time;
use std::collections::HashMap;

/// The inner query stops after a few rows, even if they are inactive or too far away. Of two
/// captures that arrived at the same moment, the one written first is the earlier one.
macro_rules! beside {
    ($compared:literal, $order:literal) => {
        concat!(
            "SELECT u.number, beside.number FROM unnest($1) AS u (number), \
             LATERAL (SELECT near.number FROM (SELECT n.number, n.status, n.expires, n.arrived \
             FROM memories AS m JOIN memories AS n ON md5(n.source) = md5(m.source) \
             AND n.source = m.source AND n.owner = m.owner AND n.scope = m.scope \
             AND n.project = m.project AND (n.arrived, n.number) ",
            $compared,
            " (m.arrived, m.number) WHERE m.number = u.number ORDER BY n.arrived ",
            $order,
            ", n.number ",
            $order,
            " LIMIT 64) AS near WHERE near.status = 'active' \
             AND (near.expires IS NULL OR $2 < near.expires) \
             AND near.number BETWEEN u.number - 256 AND u.number + 256 ORDER BY near.arrived ",
            $order,
            ", near.number ",
            $order,
            " LIMIT $3) AS beside"
        )
    };
}

const BEFORE: &str = beside!("<", "DESC");
const AFTER: &str = beside!(">", "ASC");

/// Up to `steps` memories before each one and after it, nearest first, those before it first.
pub(super) async fn beside(
    work: &SearchWork<'_>,
    numbers: &[i64],
    now: Time,
    steps: u32,
) -> Result<HashMap<i64, [Vec<i64>; 2]>> {
    let mut found: HashMap<i64, [Vec<i64>; 2]> = HashMap::new();
    if numbers.is_empty() {
        return Ok(found);
    }
    for (side, sql) in [BEFORE, AFTER].into_iter().enumerate() {
        let near = work
            .transaction
            .all(sql, values![numbers, now, steps], |row| Ok((number(row, 0)?, number(row, 1)?)));
        for (number, near) in near.await? {
            if let Some(side) = found.entry(number).or_default().get_mut(side) {
                side.push(near);
            }
        }
    }
    Ok(found)
}
