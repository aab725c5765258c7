-- Times are milliseconds since 1970. `number` is what the text index and the vectors point to.
CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('project', 'user', 'org')),
    project TEXT NOT NULL CHECK ((scope = 'project') OR (project = '')),
    namespace TEXT NOT NULL,
    content TEXT NOT NULL,
    digest BLOB NOT NULL,
    source TEXT,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'deleted')),
    superseded_by TEXT,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    deleted INTEGER
) STRICT;
CREATE INDEX memories_by_place ON memories (owner, scope, project, status, created DESC, number DESC);
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

-- The text itself is in `memories`; here are only the words.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    body, labels, near,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);

CREATE TABLE memory_vectors (
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    model TEXT NOT NULL,
    version INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (memory, model)
) STRICT;

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
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    priority INTEGER NOT NULL,
    parent INTEGER REFERENCES tasks (number) ON DELETE RESTRICT,
    result TEXT,
    worker TEXT,
    lease INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER,
    CHECK ((worker IS NULL) = (lease IS NULL))
) STRICT;
CREATE INDEX tasks_by_list ON tasks (owner, list, status, priority DESC, number);
CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;

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
    version INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (owner, project, id)
) STRICT, WITHOUT ROWID;
