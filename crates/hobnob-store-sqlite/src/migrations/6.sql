-- When a capture came in, in microseconds since 1970, so that what one source said stays in its
-- order when captures are made at the same time. NULL of older memories: they were written in the
-- order of their numbers, and each number is less than any of these times.
ALTER TABLE memories ADD COLUMN arrived INTEGER;
DROP INDEX memories_by_source;
CREATE INDEX memories_by_source
    ON memories (source, owner, scope, project, coalesce(arrived, number))
    WHERE source IS NOT NULL;
