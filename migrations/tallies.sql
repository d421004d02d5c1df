-- Counts, kept by triggers so that totals and statistics cost the same at
-- any number of documents.
CREATE TABLE tally (
  type      TEXT NOT NULL,
  status    TEXT NOT NULL,
  priority  TEXT NOT NULL,
  assignee  TEXT NOT NULL,
  project   TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (type, status, priority, assignee, project)
) WITHOUT ROWID;

-- The same without who and what for: as good as constant in size, whatever the
-- number of people and projects.
CREATE TABLE facet_tally (
  type      TEXT NOT NULL,
  status    TEXT NOT NULL,
  priority  TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (type, status, priority)
) WITHOUT ROWID;

CREATE TABLE label_tally (
  label     TEXT PRIMARY KEY,
  documents INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER document_counted AFTER INSERT ON document BEGIN
  INSERT INTO tally VALUES (new.type, new.status, new.priority, new.assignee, new.project, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER document_uncounted AFTER DELETE ON document BEGIN
  UPDATE tally SET documents = documents - 1
  WHERE type = old.type AND status = old.status AND priority = old.priority
    AND assignee = old.assignee AND project = old.project;
  DELETE FROM tally
  WHERE type = old.type AND status = old.status AND priority = old.priority
    AND assignee = old.assignee AND project = old.project AND documents = 0;
END;

CREATE TRIGGER document_recounted AFTER UPDATE OF type, status, priority, assignee, project ON document
WHEN (old.type, old.status, old.priority, old.assignee, old.project)
  <> (new.type, new.status, new.priority, new.assignee, new.project) BEGIN
  UPDATE tally SET documents = documents - 1
  WHERE type = old.type AND status = old.status AND priority = old.priority
    AND assignee = old.assignee AND project = old.project;
  DELETE FROM tally
  WHERE type = old.type AND status = old.status AND priority = old.priority
    AND assignee = old.assignee AND project = old.project AND documents = 0;
  INSERT INTO tally VALUES (new.type, new.status, new.priority, new.assignee, new.project, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER tally_counted AFTER INSERT ON tally BEGIN
  INSERT INTO facet_tally VALUES (new.type, new.status, new.priority, new.documents)
  ON CONFLICT DO UPDATE SET documents = documents + excluded.documents;
END;

CREATE TRIGGER tally_recounted AFTER UPDATE OF documents ON tally BEGIN
  UPDATE facet_tally SET documents = documents + new.documents - old.documents
  WHERE type = new.type AND status = new.status AND priority = new.priority;
  DELETE FROM facet_tally
  WHERE type = new.type AND status = new.status AND priority = new.priority AND documents = 0;
END;

CREATE TRIGGER label_counted AFTER INSERT ON document_label BEGIN
  INSERT INTO label_tally VALUES (new.label, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER label_uncounted AFTER DELETE ON document_label BEGIN
  UPDATE label_tally SET documents = documents - 1 WHERE label = old.label;
  DELETE FROM label_tally WHERE label = old.label AND documents = 0;
END;

-- The same by workspace and line, in the index of a hub. In that of one workspace the
-- table is empty.
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
  WHERE workspace = old.workspace AND line = old.line
    AND type = old.type AND status = old.status AND priority = old.priority;
  DELETE FROM line_tally
  WHERE workspace = old.workspace AND line = old.line
    AND type = old.type AND status = old.status AND priority = old.priority AND documents = 0;
END;

CREATE TRIGGER line_recounted AFTER UPDATE OF workspace, line, type, status, priority ON document
WHEN old.workspace <> '' AND (old.workspace, old.line, old.type, old.status, old.priority)
  <> (new.workspace, new.line, new.type, new.status, new.priority) BEGIN
  UPDATE line_tally SET documents = documents - 1
  WHERE workspace = old.workspace AND line = old.line
    AND type = old.type AND status = old.status AND priority = old.priority;
  DELETE FROM line_tally
  WHERE workspace = old.workspace AND line = old.line
    AND type = old.type AND status = old.status AND priority = old.priority AND documents = 0;
  INSERT INTO line_tally VALUES (new.workspace, new.line, new.type, new.status, new.priority, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;
