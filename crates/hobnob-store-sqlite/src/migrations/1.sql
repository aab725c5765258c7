-- Times are milliseconds since 1970. `number` is what the text index and the vectors point to.
CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('project', 'user', 'org')),
    project TEXT NOT NULL CHECK ((scope = 'project') OR (project = '')),
    namespace TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'deleted')),
    superseded_by TEXT,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    deleted INTEGER,
    digest BLOB NOT NULL,
    source TEXT,
    -- The last, since whatever comes behind a long text is slow to reach.
    content TEXT NOT NULL
) STRICT;
-- With all that decides whether a caller sees a memory, so that counting reads nothing else.
CREATE INDEX memories_by_place
    ON memories (owner, scope, project, status, created, expires, namespace);
CREATE INDEX memories_by_age ON memories (created);
CREATE INDEX memories_by_digest ON memories (digest);
CREATE INDEX memories_by_source ON memories (source, owner) WHERE source IS NOT NULL;
CREATE INDEX memories_by_end ON memories (expires) WHERE expires IS NOT NULL;
CREATE INDEX memories_by_deletion ON memories (deleted) WHERE deleted IS NOT NULL;

CREATE TABLE memory_tags (
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (memory, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tags_by_tag ON memory_tags (tag);

CREATE TABLE memory_history (
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    namespace TEXT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    since INTEGER NOT NULL,
    action TEXT NOT NULL,
    PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

-- The text itself is in `memories`; here are only the terms that our own code makes of it, so
-- that this tokenizer has nothing left to do but to split at spaces.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    body, labels,
    content = '', contentless_delete = 1,
    tokenize = "ascii"
);
-- Each capture writes a small part of the index, and a search looks into all parts.
INSERT INTO memory_text (memory_text, rank) VALUES ('crisismerge', 4);
-- Where a term is: one row for each time that a memory has it.
CREATE VIRTUAL TABLE memory_places USING fts5vocab (memory_text, instance);

-- Numbers only grow, so that whoever keeps vectors in memory reads no more than what is new.
-- A vector goes when its memory says something else, so that each one here is true.
CREATE TABLE memory_vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    model TEXT NOT NULL,
    digest BLOB NOT NULL,
    scale REAL NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (memory, model)
) STRICT;
CREATE INDEX memory_vectors_by_model ON memory_vectors (model, number);

-- Models that vectors are wanted of, and the active memories that have none of them yet.
CREATE TABLE memory_models (
    model TEXT PRIMARY KEY,
    used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_pending (
    model TEXT NOT NULL REFERENCES memory_models (model) ON DELETE CASCADE,
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    PRIMARY KEY (model, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_pending_by_memory ON memory_pending (memory);

CREATE TABLE prompts (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    template TEXT NOT NULL,
    updated INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    list TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    priority INTEGER NOT NULL,
    parent INTEGER REFERENCES tasks (number) ON DELETE RESTRICT,
    worker TEXT,
    lease INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER,
    -- The last, since whatever comes behind a long text is slow to reach.
    description TEXT NOT NULL,
    result TEXT,
    CHECK ((worker IS NULL) = (lease IS NULL))
) STRICT;
CREATE INDEX tasks_by_rank ON tasks (owner, list, status, priority DESC, number);
CREATE INDEX tasks_in_order ON tasks (owner, list, number);
CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;
CREATE INDEX tasks_by_lease ON tasks (owner, lease) WHERE lease IS NOT NULL;

CREATE TABLE task_blockers (
    task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
    blocker INTEGER NOT NULL REFERENCES tasks (number) ON DELETE RESTRICT,
    place INTEGER NOT NULL,
    PRIMARY KEY (task, blocker)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_blockers_by_blocker ON task_blockers (blocker);

CREATE TABLE task_history (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    worker TEXT,
    action TEXT NOT NULL,
    detail TEXT
) STRICT;
CREATE INDEX task_history_by_task ON task_history (task, number);

-- What every process that shares the file hears of.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL CHECK (topic IN ('memory', 'prompt', 'task')),
    owner TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT '',
    namespace TEXT NOT NULL DEFAULT '',
    id TEXT NOT NULL
) STRICT;

-- Long tool calls that outlive the process.
CREATE TABLE kept_calls (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    updated INTEGER NOT NULL,
    ends INTEGER,
    record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_calls_by_owner ON kept_calls (owner, id);
CREATE INDEX kept_calls_by_end ON kept_calls (ends) WHERE ends IS NOT NULL;

-- Random bytes that all processes on this file share, such as the key of sealed state.
CREATE TABLE keys (
    name TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What was last exchanged with a project's git remote.
CREATE TABLE synced (
    owner TEXT NOT NULL,
    project TEXT NOT NULL,
    id TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (owner, project, id)
) STRICT, WITHOUT ROWID;
