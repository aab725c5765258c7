-- Sessions with models: each has a tree of its own, and goes on at one of its nodes. A tree that is
-- gone takes its session along.
CREATE TABLE model_sessions (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    tree INTEGER NOT NULL UNIQUE REFERENCES trees (number) ON DELETE CASCADE,
    head INTEGER NOT NULL REFERENCES tree_nodes (number) ON DELETE CASCADE,
    model TEXT,
    system_prompt TEXT,
    settings TEXT,
    metadata TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_sessions_by_head ON model_sessions (head);
