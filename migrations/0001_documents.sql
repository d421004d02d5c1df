-- The documents. One row a file; the files are the truth, and every row here
-- can be made again from its file. Read the views at the end of 0004_views.sql
-- rather than these tables.

CREATE TABLE document (
  doc           INTEGER PRIMARY KEY AUTOINCREMENT,  -- kept when a file is renamed, never used again
  path          TEXT NOT NULL UNIQUE,  -- relative to the workspace, with slashes
  stem          TEXT NOT NULL,         -- the file's name without .md
  collection    TEXT NOT NULL,         -- type of the collection the file lies in
  id            TEXT NOT NULL,         -- as written; not unique
  id_fold       TEXT NOT NULL,         -- id in lower case, numbers without leading zeros
  id_number     TEXT NOT NULL,         -- the id's last number without leading zeros, '' when it has none
  title         TEXT NOT NULL,
  open_title    TEXT NOT NULL,         -- of an open or active one, without blanks around it, in lower case; else ''
  type          TEXT NOT NULL,
  status        TEXT NOT NULL,         -- that of new documents when not set
  status_rank   INTEGER NOT NULL,      -- its place among the statuses of state.layout, from 0; their number for another
  priority      TEXT NOT NULL,         -- that of new documents when not set
  priority_rank INTEGER NOT NULL,      -- its place among the priorities of state.layout, from 1; 0 for another
  labels        TEXT NOT NULL,         -- JSON list
  assignee      TEXT NOT NULL,         -- '' when not set
  project       TEXT NOT NULL,         -- '' when not set
  parent        TEXT NOT NULL,         -- id of the parent as written, '' when not set
  parent_fold   TEXT NOT NULL,         -- the id or the name of a file in it, folded as id_fold: link.target_fold
  created       INTEGER NOT NULL,      -- milliseconds since 1970 UTC, as are updated and closed
  updated       INTEGER NOT NULL,
  undated       INTEGER NOT NULL,      -- 1 where updated is the time of the file, which a checkout sets, 2 where it is that of its last commit
  closed        INTEGER,
  context       TEXT,                  -- wranglerContext, a JSON object
  boxes_total   INTEGER NOT NULL,      -- task list items of the text
  boxes_checked INTEGER NOT NULL,      -- those that are checked
  rev           INTEGER NOT NULL,      -- the change that wrote this row: state.rev at that time

  -- What the file looked like when it was read, to see whether it has changed.
  part          INTEGER NOT NULL,      -- of the files, from 0 to 255, by the path
  size          INTEGER NOT NULL,
  mtime         INTEGER NOT NULL,      -- nanoseconds since 1970, as is ctime
  ctime         INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
  device        INTEGER NOT NULL,
  unwatched     INTEGER NOT NULL,      -- 1 when edits can escape a watcher: a symlink, a hard link
  hash          BLOB NOT NULL,         -- first 16 bytes of the SHA-256 of the file
  read_at       INTEGER NOT NULL       -- nanoseconds since 1970
);

-- Lists walk one of these in order; the columns after the path let filters be
-- answered without visiting the table.
CREATE INDEX document_by_updated  ON document (updated, path, type, status, priority);
CREATE INDEX document_by_created  ON document (created, path, type, status, priority);
CREATE INDEX document_by_closed   ON document (closed, path, type, status, priority) WHERE closed IS NOT NULL;
CREATE INDEX document_by_priority ON document (priority_rank, path, type, status, priority);
CREATE INDEX document_by_status   ON document (status_rank, path, type, status, priority);
CREATE INDEX document_by_facet    ON document (type, status, priority, updated, path);
CREATE INDEX document_by_id       ON document (id);
CREATE INDEX document_by_any_id   ON document (id COLLATE NOCASE);
CREATE INDEX document_by_stem     ON document (stem);
CREATE INDEX document_by_id_fold  ON document (id_fold);
CREATE INDEX document_by_number   ON document (id_number);
CREATE INDEX document_by_assignee ON document (assignee, updated, path) WHERE assignee <> '';
CREATE INDEX document_by_project  ON document (project, updated, path) WHERE project <> '';
CREATE INDEX document_by_parent   ON document (parent_fold, updated, path) WHERE parent_fold <> '';
-- The documents with open boxes. The last two columns are for the condition, so that a list
-- or a count needs no look at the table.
CREATE INDEX document_open_boxes ON document (updated, path, type, status, priority, boxes_checked, boxes_total)
  WHERE boxes_checked < boxes_total;
-- The titles that a new document may not repeat.
CREATE INDEX document_by_title    ON document (type, open_title) WHERE open_title <> '';
CREATE INDEX document_by_part     ON document (part);
-- The files that were read so soon after they changed that their times prove
-- nothing: within two seconds.
CREATE INDEX document_unsettled   ON document (path) WHERE read_at - iif(ctime, ctime, mtime) <= 2000000000;
CREATE INDEX document_unlabelled  ON document (type, status, priority) WHERE labels = '[]';
CREATE INDEX document_undated   ON document (path, updated, undated) WHERE undated;
CREATE INDEX document_unwatched   ON document (path) WHERE unwatched;

-- What all files of a part looked like when they were read: one number that
-- changes with any of them, so that files that have not changed are compared
-- with it rather than with a row each. A device has another number whenever it is
-- mounted again, which alone does not make its files others: there is a number of
-- their devices apart.
CREATE TABLE digest (
  part      INTEGER PRIMARY KEY,
  files     INTEGER NOT NULL,
  devices   INTEGER NOT NULL,
  documents INTEGER NOT NULL  -- how many files the part has
);

CREATE TABLE document_label (
  label TEXT NOT NULL,
  doc   INTEGER NOT NULL,
  PRIMARY KEY (label, doc)
) WITHOUT ROWID;
CREATE INDEX document_label_by_doc ON document_label (doc);

-- What is wrong with single files. The view problems adds what only the whole
-- workspace shows.
CREATE TABLE document_problem (
  doc     INTEGER NOT NULL,
  code    TEXT NOT NULL,
  line    INTEGER NOT NULL,  -- of the file, from 1; 0 when no one line is to blame
  message TEXT NOT NULL
);
CREATE INDEX document_problem_by_doc ON document_problem (doc);

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
