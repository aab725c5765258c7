-- Trees of nodes. What has no claim any more was `released` then, and is scheduled for deletion,
-- archived and gone by the time that has passed since.
CREATE TABLE trees (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    name TEXT,
    nodes INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    released INTEGER,
    metadata TEXT
) STRICT;
CREATE UNIQUE INDEX trees_by_name ON trees (owner, name) WHERE name IS NOT NULL;
CREATE INDEX trees_in_order ON trees (owner, number);
CREATE INDEX trees_by_release ON trees (released) WHERE released IS NOT NULL;

CREATE TABLE tree_claims (
    tree INTEGER NOT NULL REFERENCES trees (number) ON DELETE CASCADE,
    claimant TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (0 < count),
    PRIMARY KEY (tree, claimant)
) STRICT, WITHOUT ROWID;

-- The shape alone, so that a walk through a deep tree reads no texts. Parents come before their
-- children. `jump` is an ancestor further up, so that any ancestor is found in a few steps.
-- A parent is not deleted with a cascade: SQLite allows only a thousand levels of those.
CREATE TABLE tree_nodes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    tree INTEGER NOT NULL REFERENCES trees (number) ON DELETE CASCADE,
    parent INTEGER REFERENCES tree_nodes (number),
    jump INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    children INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('text', 'external'))
) STRICT;
CREATE INDEX tree_nodes_in_order ON tree_nodes (tree, number);
CREATE INDEX tree_nodes_by_parent ON tree_nodes (parent, number) WHERE parent IS NOT NULL;
CREATE UNIQUE INDEX tree_roots ON tree_nodes (tree) WHERE parent IS NULL;
CREATE INDEX tree_leaves ON tree_nodes (tree, number) WHERE children = 0;
CREATE INDEX tree_handles ON tree_nodes (tree, number) WHERE kind = 'external';

-- A text has a role, a handle has a source and an identifier.
CREATE TABLE tree_contents (
    node INTEGER PRIMARY KEY REFERENCES tree_nodes (number) ON DELETE CASCADE,
    created INTEGER NOT NULL,
    role TEXT,
    source TEXT,
    identifier TEXT,
    metadata TEXT,
    handle_metadata TEXT,
    -- The last, since whatever comes behind a long text is slow to reach.
    content TEXT NOT NULL
) STRICT;

-- The same table without a list of topics, which every new kind of record would have to change.
ALTER TABLE changes RENAME TO changes_before;
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT '',
    namespace TEXT NOT NULL DEFAULT '',
    id TEXT NOT NULL
) STRICT;
INSERT INTO changes SELECT number, topic, owner, scope, place, namespace, id FROM changes_before;
DROP TABLE changes_before;
