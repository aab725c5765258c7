-- Sessions with agents: conversations that the agents' programs keep, by the owner's names.
-- At most one of the two heads is set; none is a session in which nothing was said yet.
CREATE TABLE agent_sessions (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT NOT NULL,
    folder TEXT NOT NULL,
    model TEXT,
    system_prompt TEXT,
    resume_id TEXT,
    fork_id TEXT,
    chats INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    PRIMARY KEY (owner, name),
    CHECK (resume_id IS NULL OR fork_id IS NULL)
) STRICT, WITHOUT ROWID;
