-- Sketches of what memories say: those of one place that have a band in common say nearly the same,
-- probably. Nothing refers to `memories`, since whoever removes a memory knows its bands.
CREATE TABLE memory_bands (
    band INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (band, memory)
) STRICT, WITHOUT ROWID;
-- Memories that were captured before there were sketches, until each has got its own.
CREATE TABLE memory_unsketched (
    memory INTEGER PRIMARY KEY REFERENCES memories (number) ON DELETE CASCADE
) STRICT;
INSERT INTO memory_unsketched SELECT number FROM memories WHERE status = 'active';

-- Where else a memory was captured from; the first source is in `memories`.
CREATE TABLE memory_sources (
    memory INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    source TEXT NOT NULL,
    PRIMARY KEY (memory, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_by_source ON memory_sources (source);

-- The words of a memory, as a model that tells them apart knows them: the signs of each word's
-- vector, one word behind the other. They go with the vector that was made together with them.
CREATE TABLE memory_word_vectors (
    vector INTEGER PRIMARY KEY REFERENCES memory_vectors (number) ON DELETE CASCADE,
    words BLOB NOT NULL
) STRICT;
-- Whether it is known which memories lack their words' vectors of a model.
ALTER TABLE memory_models ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
