//! The table at the end of a long command, and its row for a failed step.

use super::*;

#[test]
fn a_table_has_a_row_for_each_step_and_a_sum() {
    let mut table = Timetable::default();
    table.note("format", Duration::from_millis(1_240), false);
    table.note("tests", Duration::from_secs(601), true);
    assert_eq!(
        table.to_string(),
        "  format    0:01.3\n  tests    10:01.0  failed\n  all      10:02.3"
    );
}

#[test]
fn a_step_that_fails_is_noted_and_fails() {
    let mut table = Timetable::default();
    let outcome: anyhow::Result<()> = table.time("one", || anyhow::bail!("broken"));
    assert!(outcome.is_err());
    assert_eq!(table.time("two", || Ok(2)).unwrap(), 2);
    assert!(table.rows[0].failed && !table.rows[1].failed);
}
