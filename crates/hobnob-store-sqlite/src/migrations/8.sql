-- How many records each owner has, kept by the tables themselves, so that a limit costs one look and
-- counts what every process writes. Nodes are counted by their trees, which know how many they have.
CREATE TABLE stored_counts (
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO stored_counts SELECT owner, 'memories', count(*) FROM memories GROUP BY owner;
INSERT INTO stored_counts SELECT owner, 'tasks', count(*) FROM tasks GROUP BY owner;
INSERT INTO stored_counts SELECT owner, 'tree_nodes', sum(nodes) FROM trees GROUP BY owner;

CREATE TRIGGER memories_counted AFTER INSERT ON memories BEGIN
    INSERT INTO stored_counts VALUES (NEW.owner, 'memories', 1)
    ON CONFLICT DO UPDATE SET items = items + 1;
END;
CREATE TRIGGER memories_discounted AFTER DELETE ON memories BEGIN
    UPDATE stored_counts SET items = items - 1 WHERE owner = OLD.owner AND kind = 'memories';
END;
CREATE TRIGGER memories_handed_over AFTER UPDATE OF owner ON memories WHEN OLD.owner <> NEW.owner BEGIN
    UPDATE stored_counts SET items = items - 1 WHERE owner = OLD.owner AND kind = 'memories';
    INSERT INTO stored_counts VALUES (NEW.owner, 'memories', 1)
    ON CONFLICT DO UPDATE SET items = items + 1;
END;
CREATE TRIGGER tasks_counted AFTER INSERT ON tasks BEGIN
    INSERT INTO stored_counts VALUES (NEW.owner, 'tasks', 1)
    ON CONFLICT DO UPDATE SET items = items + 1;
END;
CREATE TRIGGER tasks_discounted AFTER DELETE ON tasks BEGIN
    UPDATE stored_counts SET items = items - 1 WHERE owner = OLD.owner AND kind = 'tasks';
END;
CREATE TRIGGER trees_counted AFTER INSERT ON trees BEGIN
    INSERT INTO stored_counts VALUES (NEW.owner, 'tree_nodes', NEW.nodes)
    ON CONFLICT DO UPDATE SET items = items + NEW.nodes;
END;
CREATE TRIGGER tree_nodes_counted AFTER UPDATE OF nodes ON trees BEGIN
    UPDATE stored_counts SET items = items + NEW.nodes - OLD.nodes
    WHERE owner = NEW.owner AND kind = 'tree_nodes';
END;
CREATE TRIGGER trees_discounted AFTER DELETE ON trees BEGIN
    UPDATE stored_counts SET items = items - OLD.nodes
    WHERE owner = OLD.owner AND kind = 'tree_nodes';
END;
