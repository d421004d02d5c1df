-- The documents. One row a file; the files are the truth, and every row here
-- can be made again from its file. Read the views in views.sql rather than these
-- tables.

CREATE TABLE document (
  doc           INTEGER PRIMARY KEY AUTOINCREMENT,  -- kept when a file is renamed, never used again
  path          TEXT NOT NULL UNIQUE,  -- relative to the workspace, with slashes
  stem          TEXT NOT NULL,         -- the file's name without .md
  id            TEXT NOT NULL,         -- as written; not unique
  id_fold       TEXT NOT NULL,         -- id in lower case, numbers without leading zeros
  id_number     TEXT NOT NULL,         -- the id's last number without leading zeros, '' when it has none
  title         TEXT NOT NULL,
  open_title    TEXT NOT NULL,         -- of an open or active one, without blanks around it, in lower case; else ''
  type          TEXT NOT NULL,
  status        TEXT NOT NULL,         -- that of new documents when not set
  status_rank   INTEGER NOT NULL,      -- its place among the statuses of state.layout, from 0;
                                       -- their number for another
  priority      TEXT NOT NULL,         -- that of new documents when not set
  priority_rank INTEGER NOT NULL,      -- its place among the priorities of state.layout, from 1; 0 for another
  labels        TEXT NOT NULL,         -- JSON list
  assignee      TEXT NOT NULL,         -- '' when not set
  project       TEXT NOT NULL,         -- '' when not set
  parent        TEXT NOT NULL,         -- id of the parent as written, '' when not set
  parent_fold   TEXT NOT NULL,         -- the id or the name of a file in it, folded as id_fold: link.target_fold
  created       INTEGER NOT NULL,      -- milliseconds since 1970 UTC, as are updated and closed
  updated       INTEGER NOT NULL,
  undated       INTEGER NOT NULL,      -- 1 where updated is the time of the file, which a checkout sets,
                                       -- 2 where it is that of its last commit
  closed        INTEGER,
  context       TEXT,                  -- wranglerContext, a JSON object
  boxes_total   INTEGER NOT NULL,      -- task list items of the text
  boxes_checked INTEGER NOT NULL,      -- those that are checked
  rev           INTEGER NOT NULL,      -- the change that wrote this row: state.rev at that time

  finished      INTEGER NOT NULL,      -- 1 when done, cancelled, or in a folder for such documents
  deferred      INTEGER,               -- until when, milliseconds since 1970 UTC

  -- Whose document this is, in the index of a hub: it has those of many workspaces, and of
  -- each one's lines. There id, id_fold, id_number, stem and what links and references resolve
  -- by begin with the name of the line and a colon, api:iss-41, so that each line is a world of
  -- its own. In the index of one workspace these columns are ''.
  workspace     TEXT NOT NULL,
  line          TEXT NOT NULL,         -- main or the name of one with unmerged work

  -- What the file looked like when it was read, to see whether it has changed.
  look          INTEGER NOT NULL,      -- a digest of the path and of the following
  size          INTEGER NOT NULL,
  mtime         INTEGER NOT NULL,      -- nanoseconds since 1970, as is ctime
  ctime         INTEGER NOT NULL,
  inode         INTEGER NOT NULL,
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
CREATE INDEX document_by_id       ON document (id, path);
CREATE INDEX document_by_any_id   ON document (id COLLATE NOCASE);
CREATE INDEX document_by_stem     ON document (stem);
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
CREATE INDEX document_by_look     ON document (look);
-- The files that were read so soon after they changed that their times prove
-- nothing: within two seconds.
CREATE INDEX document_unsettled   ON document (path) WHERE read_at - iif(ctime, ctime, mtime) <= 2000000000;
CREATE INDEX document_unlabelled  ON document (type, status, priority) WHERE labels = '[]';
CREATE INDEX document_undated   ON document (path, updated, undated) WHERE undated;
CREATE INDEX document_unwatched   ON document (path) WHERE unwatched;

-- What a new file with the content of another one is compared with: it may be that
-- document, moved.
CREATE INDEX document_by_hash    ON document (hash);
CREATE INDEX document_deferred   ON document (deferred) WHERE deferred IS NOT NULL;
-- The order in which work is begun.
CREATE INDEX document_to_begin   ON document (priority_rank DESC, created, path, status, assignee) WHERE NOT finished;
-- With what a dependency asks of the document that it leads to.
CREATE INDEX document_by_id_fold ON document (id_fold, finished);
-- What wiki links may name.
CREATE INDEX document_by_any_title ON document (title COLLATE NOCASE);
-- What has changed since a state of the index, for those who follow it.
CREATE INDEX document_by_rev     ON document (rev);

-- In the index of one workspace these are empty.
CREATE INDEX document_by_workspace ON document (workspace, updated, path, line) WHERE workspace <> '';

-- Documents of lines with unmerged work: whether there are any.
CREATE INDEX document_unmerged ON document (line) WHERE line <> '' AND line <> 'main';

-- What is looked up by an id without the name of a line.
CREATE INDEX document_by_plain_id ON document (substr(id_fold, instr(id_fold, ':') + 1)) WHERE workspace <> '';
CREATE INDEX document_by_plain_number ON document (substr(id_number, instr(id_number, ':') + 1)) WHERE workspace <> '';

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
