-- Text sorts by bytes, as in every other backend. Times are milliseconds since 1970. PostgreSQL
-- stores no NUL in a text: `value.rs` writes another character for it.
CREATE DOMAIN chars AS text COLLATE "C";

CREATE TABLE memories (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id chars NOT NULL UNIQUE,
    owner chars NOT NULL,
    scope chars NOT NULL CHECK (scope IN ('project', 'user', 'org')),
    project chars NOT NULL CHECK ((scope = 'project') OR (project = '')),
    namespace chars NOT NULL,
    status chars NOT NULL CHECK (status IN ('active', 'superseded', 'deleted')),
    superseded_by chars,
    version bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    expires bigint,
    deleted bigint,
    -- When the capture came in, in microseconds since 1970: the order of what one source said.
    arrived bigint NOT NULL,
    digest bytea NOT NULL,
    source chars,
    -- The length of the content, which a search needs without the content.
    bytes bigint NOT NULL,
    content chars NOT NULL
);
CREATE INDEX memories_by_place
    ON memories (owner, scope, project, status, created, expires, namespace);
CREATE INDEX memories_by_age ON memories (created);
CREATE INDEX memories_by_digest ON memories (digest);
-- The digest, since a source may be longer than what an index holds.
CREATE INDEX memories_by_source ON memories (md5(source), owner, scope, project, arrived, number)
    WHERE source IS NOT NULL;
CREATE INDEX memories_by_end ON memories (expires) WHERE expires IS NOT NULL;
CREATE INDEX memories_by_deletion ON memories (deleted) WHERE deleted IS NOT NULL;

CREATE TABLE memory_tags (
    memory bigint NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    tag chars NOT NULL,
    PRIMARY KEY (memory, tag)
);
CREATE INDEX memory_tags_by_tag ON memory_tags (tag);

CREATE TABLE memory_history (
    memory bigint NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    version bigint NOT NULL,
    content chars NOT NULL,
    namespace chars NOT NULL,
    tags chars NOT NULL,
    status chars NOT NULL,
    since bigint NOT NULL,
    action chars NOT NULL,
    PRIMARY KEY (memory, version)
);

-- Where else a memory was captured from; the first source is in `memories`.
CREATE TABLE memory_sources (
    memory bigint NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    source chars NOT NULL
);
CREATE INDEX memory_sources_by_memory ON memory_sources (memory);
CREATE INDEX memory_sources_by_source ON memory_sources (md5(source));

-- The inverted index: how often a memory has a term, in its content and in its labels.
CREATE TABLE memory_postings (
    term chars NOT NULL,
    memory bigint NOT NULL,
    body integer NOT NULL,
    labels integer NOT NULL,
    PRIMARY KEY (term, memory) INCLUDE (body, labels)
);
CREATE INDEX memory_postings_by_memory ON memory_postings (memory);

-- Numbers are given under a lock that lasts until the commit, so that a reader who knows one knows
-- all before it.
CREATE TABLE memory_vectors (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memory bigint NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    model chars NOT NULL,
    digest bytea NOT NULL,
    scale double precision NOT NULL,
    vector bytea NOT NULL,
    UNIQUE (memory, model)
);
CREATE INDEX memory_vectors_by_model ON memory_vectors (model, number);
CREATE TABLE memory_word_vectors (
    vector bigint PRIMARY KEY REFERENCES memory_vectors (number) ON DELETE CASCADE,
    words bytea NOT NULL
);

-- Models that vectors are wanted of, and the active memories that have none of them yet.
CREATE TABLE memory_models (
    model chars PRIMARY KEY,
    used bigint NOT NULL,
    words boolean NOT NULL DEFAULT false
);
CREATE TABLE memory_pending (
    model chars NOT NULL REFERENCES memory_models (model) ON DELETE CASCADE,
    memory bigint NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    PRIMARY KEY (model, memory)
);
CREATE INDEX memory_pending_by_memory ON memory_pending (memory);

-- MinHash bands, by which near-duplicates are found.
CREATE TABLE memory_bands (
    band bigint NOT NULL,
    memory bigint NOT NULL,
    PRIMARY KEY (band, memory)
);

CREATE TABLE prompts (
    owner chars NOT NULL,
    name chars NOT NULL,
    description chars,
    template chars NOT NULL,
    updated bigint NOT NULL,
    PRIMARY KEY (owner, name)
);

CREATE TABLE tasks (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id chars NOT NULL UNIQUE,
    owner chars NOT NULL,
    list chars NOT NULL,
    status chars NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    priority bigint NOT NULL,
    parent bigint REFERENCES tasks (number) ON DELETE RESTRICT,
    worker chars,
    lease bigint,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    started bigint,
    finished bigint,
    description chars NOT NULL,
    result chars,
    CHECK ((worker IS NULL) = (lease IS NULL))
);
CREATE INDEX tasks_ready ON tasks (owner, priority DESC, number) WHERE status = 'pending';
CREATE INDEX tasks_in_order ON tasks (owner, number);
CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;
CREATE INDEX tasks_by_lease ON tasks (owner, lease) WHERE lease IS NOT NULL;

CREATE TABLE task_blockers (
    task bigint NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
    blocker bigint NOT NULL REFERENCES tasks (number) ON DELETE RESTRICT,
    place bigint NOT NULL,
    PRIMARY KEY (task, blocker)
);
CREATE INDEX task_blockers_by_blocker ON task_blockers (blocker);

CREATE TABLE task_history (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task bigint NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
    at bigint NOT NULL,
    worker chars,
    action chars NOT NULL,
    detail chars
);
CREATE INDEX task_history_by_task ON task_history (task, number);

CREATE TABLE trees (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id chars NOT NULL UNIQUE,
    owner chars NOT NULL,
    name chars,
    nodes bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    released bigint,
    metadata chars
);
CREATE UNIQUE INDEX trees_by_name ON trees (owner, name) WHERE name IS NOT NULL;
CREATE INDEX trees_in_order ON trees (owner, number);
CREATE INDEX trees_by_release ON trees (released) WHERE released IS NOT NULL;

CREATE TABLE tree_claims (
    tree bigint NOT NULL REFERENCES trees (number) ON DELETE CASCADE,
    claimant chars NOT NULL,
    count bigint NOT NULL CHECK (0 < count),
    PRIMARY KEY (tree, claimant)
);

-- The shape alone, so that a walk reads no texts. `jump` is an ancestor further up. No foreign key
-- guards the parent: a tree goes as a whole.
CREATE TABLE tree_nodes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id chars NOT NULL UNIQUE,
    tree bigint NOT NULL REFERENCES trees (number) ON DELETE CASCADE,
    parent bigint,
    jump bigint NOT NULL,
    depth bigint NOT NULL,
    children bigint NOT NULL,
    kind chars NOT NULL CHECK (kind IN ('text', 'external'))
);
CREATE INDEX tree_nodes_in_order ON tree_nodes (tree, number);
CREATE INDEX tree_nodes_by_parent ON tree_nodes (parent, number) WHERE parent IS NOT NULL;
CREATE UNIQUE INDEX tree_roots ON tree_nodes (tree) WHERE parent IS NULL;
CREATE INDEX tree_leaves ON tree_nodes (tree, number) WHERE children = 0;
CREATE INDEX tree_handles ON tree_nodes (tree, number) WHERE kind = 'external';

CREATE TABLE tree_contents (
    node bigint PRIMARY KEY REFERENCES tree_nodes (number) ON DELETE CASCADE,
    owner chars NOT NULL,
    created bigint NOT NULL,
    role chars,
    source chars,
    identifier chars,
    metadata chars,
    handle_metadata chars,
    content chars NOT NULL
);

CREATE TABLE agent_sessions (
    owner chars NOT NULL,
    name chars NOT NULL,
    agent chars NOT NULL,
    folder chars NOT NULL,
    model chars,
    system_prompt chars,
    resume_id chars,
    fork_id chars,
    chats bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    PRIMARY KEY (owner, name),
    CHECK (resume_id IS NULL OR fork_id IS NULL)
);

CREATE TABLE model_sessions (
    owner chars NOT NULL,
    name chars NOT NULL,
    tree bigint NOT NULL UNIQUE REFERENCES trees (number) ON DELETE CASCADE,
    head bigint NOT NULL REFERENCES tree_nodes (number) ON DELETE CASCADE,
    model chars,
    system_prompt chars,
    settings chars,
    metadata chars,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    PRIMARY KEY (owner, name)
);
CREATE INDEX model_sessions_by_head ON model_sessions (head);

-- Long tool calls that outlive the process.
CREATE TABLE kept_calls (
    id chars PRIMARY KEY,
    owner chars NOT NULL,
    updated bigint NOT NULL,
    ends bigint,
    record chars NOT NULL
);
CREATE INDEX kept_calls_by_owner ON kept_calls (owner, id);
CREATE INDEX kept_calls_by_end ON kept_calls (ends) WHERE ends IS NOT NULL;

-- Random bytes that all replicas share, such as the key of sealed state.
CREATE TABLE keys (
    name chars PRIMARY KEY,
    bytes bytea NOT NULL
);

-- What was last exchanged with a project's git remote.
CREATE TABLE synced (
    owner chars NOT NULL,
    project chars NOT NULL,
    id chars NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (owner, project, id)
);

-- Records of the embedded authorization server. Of secrets only digests are in it.
CREATE TABLE authorizations (
    kind chars NOT NULL,
    key chars NOT NULL,
    -- The user it belongs to, and the grant; empty if it belongs to none.
    owner chars NOT NULL,
    grant_id chars NOT NULL,
    expires bigint,
    body chars NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX authorizations_by_owner ON authorizations (owner) WHERE owner <> '';
CREATE INDEX authorizations_by_grant ON authorizations (grant_id) WHERE grant_id <> '';
CREATE INDEX authorizations_by_end ON authorizations (expires) WHERE expires IS NOT NULL;

-- How many calls were made, per minute and, later, per day, with the histogram of their durations.
CREATE TABLE usage (
    seconds bigint NOT NULL,
    start bigint NOT NULL,
    owner chars NOT NULL,
    server chars NOT NULL,
    tool chars NOT NULL,
    client chars NOT NULL,
    calls bigint NOT NULL,
    errors bigint NOT NULL,
    request_bytes bigint NOT NULL,
    result_bytes bigint NOT NULL,
    last bigint NOT NULL,
    durations bytea NOT NULL,
    PRIMARY KEY (seconds, start, owner, server, tool, client)
);

-- Every write of a record adds its change. Numbers are given before the commit and become visible in
-- another order, so readers go by the transaction's id, and only as far as all are over.
CREATE TABLE changes (
    xid bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    number bigint GENERATED ALWAYS AS IDENTITY,
    topic chars NOT NULL,
    owner chars NOT NULL,
    scope chars NOT NULL,
    place chars NOT NULL,
    namespace chars NOT NULL,
    id chars NOT NULL,
    PRIMARY KEY (xid, number)
);
CREATE INDEX changes_by_number ON changes (number);
-- The last change that was removed from the table; a reader who is behind it has missed some.
CREATE TABLE changes_removed (
    xid bigint NOT NULL,
    number bigint NOT NULL
);
INSERT INTO changes_removed VALUES (0, 0);

-- How many records each owner has, kept by triggers, so that a quota costs one look.
CREATE TABLE stored_counts (
    owner chars NOT NULL,
    kind chars NOT NULL,
    items bigint NOT NULL,
    PRIMARY KEY (owner, kind)
);
CREATE FUNCTION count_stored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := 0;
    whose text;
    what text := TG_ARGV[0];
BEGIN
    IF TG_OP = 'DELETE' THEN
        whose := OLD.owner;
        more := CASE what WHEN 'tree_nodes' THEN -(to_jsonb(OLD) ->> 'nodes')::bigint ELSE -1 END;
    ELSIF TG_OP = 'INSERT' THEN
        whose := NEW.owner;
        more := CASE what WHEN 'tree_nodes' THEN (to_jsonb(NEW) ->> 'nodes')::bigint ELSE 1 END;
    ELSE
        whose := NEW.owner;
        more := (to_jsonb(NEW) ->> 'nodes')::bigint - (to_jsonb(OLD) ->> 'nodes')::bigint;
    END IF;
    INSERT INTO stored_counts AS s (owner, kind, items) VALUES (whose, what, more)
    ON CONFLICT (owner, kind) DO UPDATE SET items = s.items + more;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_counted AFTER INSERT OR DELETE ON memories
    FOR EACH ROW EXECUTE FUNCTION count_stored('memories');
CREATE TRIGGER tasks_counted AFTER INSERT OR DELETE ON tasks
    FOR EACH ROW EXECUTE FUNCTION count_stored('tasks');
CREATE TRIGGER trees_counted AFTER INSERT OR DELETE OR UPDATE OF nodes ON trees
    FOR EACH ROW EXECUTE FUNCTION count_stored('tree_nodes');

-- The second lock, behind the conditions of every query: a query that forgets its owner finds only
-- what belongs to the principal of its transaction.
CREATE FUNCTION is_visible(owner text) RETURNS boolean LANGUAGE sql STABLE
RETURN current_setting('hobnob.reach', true) = 'all'
    OR owner = current_setting('hobnob.principal', true);

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['memories', 'prompts', 'tasks', 'trees', 'tree_contents',
        'agent_sessions', 'model_sessions', 'kept_calls', 'synced', 'authorizations', 'usage',
        'changes', 'memory_tags', 'memory_history', 'memory_sources', 'task_history', 'keys']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', owned);
    END LOOP;
    FOREACH owned IN ARRAY ARRAY['prompts', 'tasks', 'trees', 'tree_contents', 'agent_sessions',
        'model_sessions', 'kept_calls', 'synced', 'usage']
    LOOP
        EXECUTE format('CREATE POLICY owned ON %I USING (is_visible(owner))', owned);
    END LOOP;
END $$;
-- Those with a role share the memories of the scope `org`; who has one, the queries say.
CREATE POLICY owned ON memories USING (is_visible(owner) OR scope = 'org');
CREATE POLICY owned ON memory_tags
    USING (EXISTS (SELECT 1 FROM memories AS m WHERE m.number = memory));
CREATE POLICY owned ON memory_history
    USING (EXISTS (SELECT 1 FROM memories AS m WHERE m.number = memory));
CREATE POLICY owned ON memory_sources
    USING (EXISTS (SELECT 1 FROM memories AS m WHERE m.number = memory));
CREATE POLICY owned ON task_history
    USING (EXISTS (SELECT 1 FROM tasks AS t WHERE t.number = task));
-- Whoever changes a memory of another owner records the change for that owner.
CREATE POLICY owned ON changes FOR SELECT USING (is_visible(owner));
CREATE POLICY recorded ON changes FOR INSERT WITH CHECK (true);
CREATE POLICY removed ON changes FOR DELETE USING (current_setting('hobnob.reach', true) = 'all');
CREATE POLICY owned ON authorizations USING (current_setting('hobnob.reach', true) = 'all');
CREATE POLICY owned ON keys USING (current_setting('hobnob.reach', true) = 'all');

-- What has to know about the rows of all owners, whatever the transaction may see. The reach is set
-- inside, since an ordinary user may not attach such a setting to a function.
CREATE FUNCTION memory_exists(wanted text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    reach text := current_setting('hobnob.reach', true);
    found boolean;
BEGIN
    PERFORM set_config('hobnob.reach', 'all', true);
    SELECT EXISTS (SELECT 1 FROM memories WHERE id = wanted) INTO found;
    PERFORM set_config('hobnob.reach', coalesce(reach, ''), true);
    RETURN found;
END $$;
CREATE FUNCTION newest_change(OUT xid bigint, OUT settled boolean) LANGUAGE plpgsql AS $$
DECLARE
    reach text := current_setting('hobnob.reach', true);
BEGIN
    PERFORM set_config('hobnob.reach', 'all', true);
    SELECT coalesce(max(c.xid), 0) INTO xid FROM changes AS c;
    settled := xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    PERFORM set_config('hobnob.reach', coalesce(reach, ''), true);
END $$;
CREATE FUNCTION memories_changed_since(since bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    reach text := current_setting('hobnob.reach', true);
BEGIN
    PERFORM set_config('hobnob.reach', 'all', true);
    RETURN QUERY SELECT DISTINCT c.id::text FROM changes AS c
        WHERE since < c.xid AND c.topic = 'memory';
    PERFORM set_config('hobnob.reach', coalesce(reach, ''), true);
END $$;
