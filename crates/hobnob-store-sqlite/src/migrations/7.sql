-- What the embedded authorization server keeps: clients, users, requests, grants, codes and tokens, each
-- a JSON text under a key of its kind. Of secrets only digests are in it.
CREATE TABLE authorizations (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    -- The user it belongs to, and the grant; empty for nobody's and none.
    owner TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    expires INTEGER,
    body TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorizations_by_owner ON authorizations (owner) WHERE owner <> '';
CREATE INDEX authorizations_by_grant ON authorizations (grant_id) WHERE grant_id <> '';
CREATE INDEX authorizations_by_end ON authorizations (expires) WHERE expires IS NOT NULL;
