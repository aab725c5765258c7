-- How many calls were made, per minute and, later, per day: one row for each principal, server, tool
-- and client, with the histogram of their durations. No row has arguments, results or addresses.
CREATE TABLE usage (
    -- The length of the bucket in seconds, and its start in milliseconds since 1970.
    seconds INTEGER NOT NULL,
    start INTEGER NOT NULL,
    owner TEXT NOT NULL,
    -- Empty for built-in tools.
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    client TEXT NOT NULL,
    calls INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    request_bytes INTEGER NOT NULL,
    result_bytes INTEGER NOT NULL,
    last INTEGER NOT NULL,
    durations BLOB NOT NULL,
    PRIMARY KEY (seconds, start, owner, server, tool, client)
) STRICT, WITHOUT ROWID;
