-- The documents, one row a file, made again from it at any time. The views are for people.

CREATE TABLE document (
  doc           INTEGER PRIMARY KEY AUTOINCREMENT,  -- kept when a file is renamed
  path          TEXT NOT NULL UNIQUE,  -- from the workspace
  stem          TEXT NOT NULL,         -- file name without .md
  id            TEXT NOT NULL,         -- not unique
  id_fold       TEXT NOT NULL,         -- lower case, no leading zeros
  id_number     TEXT NOT NULL,         -- last number, or ''
  title         TEXT NOT NULL,
  open_title    TEXT NOT NULL,         -- folded, of an open or active one; else ''
  type          TEXT NOT NULL,
  status        TEXT NOT NULL,         -- or that of new documents
  status_rank   INTEGER NOT NULL,      -- place in state.layout, from 0; the last for others
  priority      TEXT NOT NULL,         -- or that of new documents
  priority_rank INTEGER NOT NULL,      -- place in state.layout, from 1; 0 for others
  labels        TEXT NOT NULL,         -- JSON list
  assignee      TEXT NOT NULL,         -- '' when not set
  project       TEXT NOT NULL,         -- '' when not set
  parent        TEXT NOT NULL,         -- as written, '' when not set
  parent_fold   TEXT NOT NULL,         -- link.target_fold
  created       INTEGER NOT NULL,      -- milliseconds since 1970 UTC, as are updated, closed and deferred
  updated       INTEGER NOT NULL,
  undated       INTEGER NOT NULL,      -- updated is 1 the time of the file, 2 of its last commit
  closed        INTEGER,
  context       TEXT,                  -- wranglerContext, JSON
  boxes_total   INTEGER NOT NULL,      -- task list items
  boxes_checked INTEGER NOT NULL,      -- checked ones
  rev           INTEGER NOT NULL,      -- state.rev of the change that wrote it

  finished      INTEGER NOT NULL,      -- by status or folder
  deferred      INTEGER,               -- until when

  -- Of a hub's documents, whose ids, stems and targets begin with the branch, api:iss-41; else ''.
  workspace     TEXT NOT NULL,
  line          TEXT NOT NULL,         -- branch: main, or one with unmerged work

  -- The file when it was read.
  look          INTEGER NOT NULL,      -- digest of path and the following
  size          INTEGER NOT NULL,
  mtime         INTEGER NOT NULL,      -- nanoseconds since 1970, as is ctime
  ctime         INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
  unwatched     INTEGER NOT NULL,      -- a symbolic link, or with several names
  hash          BLOB NOT NULL,         -- first 16 bytes of the SHA-256
  read_at       INTEGER NOT NULL       -- nanoseconds since 1970
);

-- Lists go through one of these in order, and filter by the columns after the path.
CREATE INDEX document_by_updated  ON document (updated, path, type, status, priority);
CREATE INDEX document_by_created  ON document (created, path, type, status, priority);
CREATE INDEX document_by_closed   ON document (closed, path, type, status, priority) WHERE closed IS NOT NULL;
CREATE INDEX document_by_priority ON document (priority_rank, path, type, status, priority);
CREATE INDEX document_by_status   ON document (status_rank, path, type, status, priority);
CREATE INDEX document_by_facet    ON document (type, status, priority, updated, path);
CREATE INDEX document_by_id       ON document (id, path);
CREATE INDEX document_by_any_id   ON document (id COLLATE NOCASE);
CREATE INDEX document_by_stem     ON document (stem);
CREATE INDEX document_by_number   ON document (id_number);
CREATE INDEX document_by_assignee ON document (assignee, updated, path) WHERE assignee <> '';
CREATE INDEX document_by_project  ON document (project, updated, path) WHERE project <> '';
CREATE INDEX document_by_parent   ON document (parent_fold, updated, path, finished) WHERE parent_fold <> '';
CREATE INDEX document_odd_parent  ON document (path) WHERE parent <> '' AND parent_fold = '';
CREATE INDEX document_open_boxes ON document (updated, path, type, status, priority, boxes_checked, boxes_total)
  WHERE boxes_checked < boxes_total;
CREATE INDEX document_by_title    ON document (type, open_title) WHERE open_title <> '';
CREATE INDEX document_by_look     ON document (look);
-- Read within two seconds of a change: times prove nothing.
CREATE INDEX document_unsettled   ON document (path) WHERE read_at - iif(ctime, ctime, mtime) <= 2000000000;
CREATE INDEX document_unlabelled  ON document (type, status, priority) WHERE labels = '[]';
CREATE INDEX document_undated   ON document (path, updated, undated) WHERE undated;
CREATE INDEX document_unwatched   ON document (path) WHERE unwatched;
-- Moved files.
CREATE INDEX document_by_hash    ON document (hash);
CREATE INDEX document_deferred   ON document (deferred) WHERE deferred IS NOT NULL;
CREATE INDEX document_to_begin   ON document (priority_rank DESC, created, path, status, assignee) WHERE NOT finished;
CREATE INDEX document_by_id_fold ON document (id_fold, finished);
CREATE INDEX document_by_any_title ON document (title COLLATE NOCASE);
CREATE INDEX document_by_rev     ON document (rev);

-- Of a hub.
CREATE INDEX document_by_workspace ON document (workspace, updated, path, line) WHERE workspace <> '';
CREATE INDEX document_unmerged ON document (line) WHERE line <> '' AND line <> 'main';
CREATE INDEX document_by_plain_id ON document (substr(id_fold, instr(id_fold, ':') + 1)) WHERE workspace <> '';
CREATE INDEX document_by_plain_number ON document (substr(id_number, instr(id_number, ':') + 1)) WHERE workspace <> '';

CREATE TABLE document_label (
  label TEXT NOT NULL,
  doc   INTEGER NOT NULL,
  PRIMARY KEY (label, doc)
) WITHOUT ROWID;
CREATE INDEX document_label_by_doc ON document_label (doc);

-- Problems of single files.
CREATE TABLE document_problem (
  doc     INTEGER NOT NULL,
  code    TEXT NOT NULL,
  line    INTEGER NOT NULL,  -- of the file, from 1; 0 for none
  message TEXT NOT NULL
);
CREATE INDEX document_problem_by_doc ON document_problem (doc);
