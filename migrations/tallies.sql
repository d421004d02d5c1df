-- Counts, kept by triggers so that totals and statistics cost the same at
-- any number of documents. The first two columns are '' in the index of one workspace.
CREATE TABLE tally (
  workspace TEXT NOT NULL,
  line      TEXT NOT NULL,
  type      TEXT NOT NULL,
  status    TEXT NOT NULL,
  priority  TEXT NOT NULL,
  finished  INTEGER NOT NULL,
  assignee  TEXT NOT NULL,
  project   TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (workspace, line, type, status, priority, finished, assignee, project)
) WITHOUT ROWID;

-- The same without who and what for: as good as constant in size, whatever the
-- number of people and projects.
CREATE TABLE facet_tally (
  workspace TEXT NOT NULL,
  line      TEXT NOT NULL,
  type      TEXT NOT NULL,
  status    TEXT NOT NULL,
  priority  TEXT NOT NULL,
  finished  INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (workspace, line, type, status, priority, finished)
) WITHOUT ROWID;

CREATE TABLE label_tally (
  label     TEXT PRIMARY KEY,
  documents INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER document_counted AFTER INSERT ON document BEGIN
  INSERT INTO tally
  VALUES (new.workspace, new.line, new.type, new.status, new.priority, new.finished, new.assignee, new.project, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER document_uncounted AFTER DELETE ON document BEGIN
  INSERT INTO tally
  VALUES (old.workspace, old.line, old.type, old.status, old.priority, old.finished, old.assignee, old.project, -1)
  ON CONFLICT DO UPDATE SET documents = documents - 1;
END;

CREATE TRIGGER document_recounted
AFTER UPDATE OF workspace, line, type, status, priority, finished, assignee, project ON document BEGIN
  INSERT INTO tally
  VALUES (new.workspace, new.line, new.type, new.status, new.priority, new.finished, new.assignee, new.project, 1),
    (old.workspace, old.line, old.type, old.status, old.priority, old.finished, old.assignee, old.project, -1)
  ON CONFLICT DO UPDATE SET documents = documents + excluded.documents;
END;

CREATE TRIGGER tally_counted AFTER INSERT ON tally BEGIN
  INSERT INTO facet_tally VALUES (new.workspace, new.line, new.type, new.status, new.priority, new.finished, new.documents)
  ON CONFLICT DO UPDATE SET documents = documents + excluded.documents;
END;

CREATE TRIGGER tally_recounted AFTER UPDATE ON tally BEGIN
  INSERT INTO facet_tally
  VALUES (new.workspace, new.line, new.type, new.status, new.priority, new.finished, new.documents - old.documents)
  ON CONFLICT DO UPDATE SET documents = documents + excluded.documents;
  DELETE FROM tally WHERE documents = 0
    AND (workspace, line, type, status, priority, finished, assignee, project)
      = (new.workspace, new.line, new.type, new.status, new.priority, new.finished, new.assignee, new.project);
  DELETE FROM facet_tally WHERE documents = 0
    AND (workspace, line, type, status, priority, finished)
      = (new.workspace, new.line, new.type, new.status, new.priority, new.finished);
END;

CREATE TRIGGER label_counted AFTER INSERT ON document_label BEGIN
  INSERT INTO label_tally VALUES (new.label, 1)
  ON CONFLICT DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER label_uncounted AFTER DELETE ON document_label BEGIN
  INSERT INTO label_tally VALUES (old.label, -1)
  ON CONFLICT DO UPDATE SET documents = documents - 1;
  DELETE FROM label_tally WHERE label = old.label AND documents = 0;
END;
