-- Whose documents these are, in the index of a hub: it has those of many workspaces, and of
-- each one's lines. There id, id_fold, id_number, stem and what links and references resolve
-- by begin with the name of the line and a colon, api:iss-41, so that each line is a world of
-- its own. In the index of one workspace these columns are '', and the indexes and the table
-- are empty.

ALTER TABLE document ADD COLUMN workspace TEXT NOT NULL DEFAULT '';  -- in a hub, else ''
ALTER TABLE document ADD COLUMN line      TEXT NOT NULL DEFAULT '';  -- of the workspace, main or the name of one with unmerged work; '' outside of a hub

CREATE INDEX document_by_workspace ON document (workspace, updated, path, line) WHERE workspace <> '';

-- Documents of lines with unmerged work: whether there are any.
CREATE INDEX document_unmerged ON document (line) WHERE line <> '' AND line <> 'main';

-- What is looked up by an id without the name of a line.
CREATE INDEX document_by_plain_id ON document (substr(id_fold, instr(id_fold, ':') + 1)) WHERE workspace <> '';
CREATE INDEX document_by_plain_number ON document (substr(id_number, instr(id_number, ':') + 1)) WHERE workspace <> '';

-- Counts like those of facet_tally, by workspace and line.
CREATE TABLE line_tally (
  workspace TEXT NOT NULL,
  line      TEXT NOT NULL,
  type      TEXT NOT NULL,
  status    TEXT NOT NULL,
  priority  TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (workspace, line, type, status, priority)
) WITHOUT ROWID;

CREATE TRIGGER line_counted AFTER INSERT ON document WHEN new.workspace <> '' BEGIN
  INSERT INTO line_tally VALUES (new.workspace, new.line, new.type, new.status, new.priority, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER line_uncounted AFTER DELETE ON document WHEN old.workspace <> '' BEGIN
  UPDATE line_tally SET documents = documents - 1
  WHERE workspace = old.workspace AND line = old.line AND type = old.type AND status = old.status AND priority = old.priority;
  DELETE FROM line_tally
  WHERE workspace = old.workspace AND line = old.line AND type = old.type AND status = old.status AND priority = old.priority AND documents = 0;
END;

CREATE TRIGGER line_recounted AFTER UPDATE OF workspace, line, type, status, priority ON document
WHEN old.workspace <> '' AND (old.workspace, old.line, old.type, old.status, old.priority) <> (new.workspace, new.line, new.type, new.status, new.priority) BEGIN
  UPDATE line_tally SET documents = documents - 1
  WHERE workspace = old.workspace AND line = old.line AND type = old.type AND status = old.status AND priority = old.priority;
  DELETE FROM line_tally
  WHERE workspace = old.workspace AND line = old.line AND type = old.type AND status = old.status AND priority = old.priority AND documents = 0;
  INSERT INTO line_tally VALUES (new.workspace, new.line, new.type, new.status, new.priority, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE VIEW stats_by_workspace AS
SELECT workspace, line, type, status, sum(documents) AS documents
FROM line_tally GROUP BY workspace, line, type, status;
