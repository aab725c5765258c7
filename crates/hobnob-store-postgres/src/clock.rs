//! The clock of the database, which all replicas follow: leases end for all of them at one moment,
//! even if the clocks of their machines differ.
//!
//! The store asks for it when it connects. What must stay true: noise of the network does not move
//! the clock.

use hobnob_store::Time;
use tokio_postgres::Client;

/// Asks the database for its time and follows it.
pub(crate) async fn follow_clock(client: &Client) -> Result<(), tokio_postgres::Error> {
    let sent = Time::here();
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let server: i64 = client.query_one(sql, &[]).await?.try_get(0)?;
    let ahead = millis_ahead(sent.millis(), Time::here().millis(), server);
    if 1_000 <= ahead.abs() {
        tracing::warn!(ahead, "the database's clock differs from this machine's, in milliseconds");
    }
    Time::set_clock_ahead(ahead);
    Ok(())
}

/// How far the server's clock is ahead, given when it was asked and when it had answered. Within the
/// time that the answer took, the clocks count as equal.
fn millis_ahead(sent: i64, received: i64, server: i64) -> i64 {
    match server {
        server if server < sent => server - sent,
        server if received < server => server - received,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::millis_ahead;

    #[test]
    fn only_a_real_difference_counts() {
        let cases =
            [(100, 110, 105, 0), (100, 110, 100, 0), (100, 110, 90, -10), (100, 110, 150, 40)];
        for (sent, received, server, ahead) in cases {
            assert_eq!(millis_ahead(sent, received, server), ahead, "{server}");
        }
    }
}
