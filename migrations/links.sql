-- Links between documents. What they mean, and what is ready, is found on every read.

CREATE TABLE link (
  doc         INTEGER NOT NULL,
  kind        TEXT NOT NULL,  -- waitsFor, blocks, parent, relatesTo, duplicateOf, discoveredFrom
  target_fold TEXT NOT NULL,  -- as document.id_fold
  target      TEXT NOT NULL,  -- id, or file name without .md
  name        TEXT NOT NULL,  -- target if it can be a file name, else ''
  PRIMARY KEY (doc, kind, target_fold)
) WITHOUT ROWID;
CREATE INDEX link_by_target ON link (target_fold, kind);
CREATE INDEX link_by_name   ON link (name, kind) WHERE name <> '';
-- Whether there are links of a kind. Of an expression, so that SQLite takes it for nothing else.
CREATE INDEX link_by_kind   ON link (kind || '');

-- The documents that a link may mean: by id, else by file name, else by number; none when it is
-- unknown, several when it is ambiguous. For looks from a document to links.
CREATE VIEW link_target (source, kind, target_fold, meant) AS
SELECT l.doc, l.kind, l.target_fold, t.doc
FROM link l JOIN document t ON t.id_fold = l.target_fold
UNION ALL
SELECT l.doc, l.kind, l.target_fold, t.doc
FROM link l JOIN document t ON t.stem = l.name
WHERE l.name <> '' AND NOT EXISTS (SELECT 1 FROM document o WHERE o.id_fold = l.target_fold)
UNION ALL
SELECT l.doc, l.kind, l.target_fold, t.doc
FROM link l JOIN document t ON t.id_number = l.target_fold
WHERE l.name = '' AND substr(l.target_fold, instr(l.target_fold, ':') + 1) NOT GLOB '*[^0-9]*'
  AND NOT EXISTS (SELECT 1 FROM document o WHERE o.id_fold = l.target_fold);

-- The same for looks from a link to documents.
CREATE VIEW link_meant (source, kind, target_fold, target, meant) AS
SELECT l.doc, l.kind, l.target_fold, l.target, t.doc
FROM link l JOIN document t ON t.doc IN (
  SELECT o.doc FROM document o WHERE o.id_fold = l.target_fold
  UNION ALL
  SELECT o.doc FROM document o WHERE l.name <> '' AND o.stem = l.name
    AND NOT EXISTS (SELECT 1 FROM document x WHERE x.id_fold = l.target_fold)
  UNION ALL
  SELECT o.doc FROM document o WHERE l.name = ''
    AND substr(l.target_fold, instr(l.target_fold, ':') + 1) NOT GLOB '*[^0-9]*' AND o.id_number = l.target_fold
    AND NOT EXISTS (SELECT 1 FROM document x WHERE x.id_fold = l.target_fold));

-- The links by which a document waits: all that do not mean one finished document.
CREATE VIEW unmet (waiter, target_fold, target) AS
SELECT l.doc, l.target_fold, l.target
FROM link l
WHERE l.kind = 'waitsFor' AND NOT coalesce(
  (SELECT count(*) = 1 AND max(t.finished) FROM document t WHERE t.id_fold = l.target_fold HAVING count(*) > 0),
  (SELECT count(*) = 1 AND max(t.finished) FROM link_meant m JOIN document t ON t.doc = m.meant
   WHERE m.source = l.doc AND m.kind = l.kind AND m.target_fold = l.target_fold));

-- Unfinished documents that say that they block another one.
CREATE VIEW unmet_blocker (waiter, blocker) AS
SELECT r.meant, b.doc
FROM link_target r JOIN document b ON b.doc = r.source
WHERE r.kind = 'blocks' AND NOT b.finished AND EXISTS (SELECT 1 FROM link WHERE kind || '' = 'blocks');

-- The same two without what lies below the waiter: a parent that waits for its own children
-- does not hold them back.
CREATE VIEW unmet_outside (waiter, target_fold, target) AS
SELECT u.waiter, u.target_fold, u.target
FROM unmet u
WHERE NOT EXISTS (SELECT 1 FROM link_meant m
    WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold)
  OR EXISTS (
    SELECT 1 FROM link_meant m
    WHERE m.source = u.waiter AND m.kind = 'waitsFor' AND m.target_fold = u.target_fold
      AND u.waiter NOT IN (
      WITH RECURSIVE ancestor (doc) AS (
        SELECT p.meant FROM link_meant p WHERE p.source = m.meant AND p.kind = 'parent'
        UNION
        SELECT p.meant FROM ancestor CROSS JOIN link_meant p ON p.source = ancestor.doc AND p.kind = 'parent'
        LIMIT 20
      )
      SELECT doc FROM ancestor));

CREATE VIEW unmet_blocker_outside (waiter, blocker) AS
SELECT u.waiter, u.blocker
FROM unmet_blocker u
WHERE u.waiter NOT IN (
  WITH RECURSIVE ancestor (doc) AS (
    SELECT p.meant FROM link_meant p WHERE p.source = u.blocker AND p.kind = 'parent'
    UNION
    SELECT p.meant FROM ancestor CROSS JOIN link_meant p ON p.source = ancestor.doc AND p.kind = 'parent'
    LIMIT 20
  )
  SELECT doc FROM ancestor);

-- The unfinished children of a document.
CREATE VIEW open_child (container, child) AS
SELECT r.meant, c.doc
FROM link_target r JOIN document c ON c.doc = r.source
WHERE r.kind = 'parent' AND NOT c.finished AND EXISTS (SELECT 1 FROM link WHERE kind || '' = 'parent');

-- Unfinished documents that wait, themselves or with an ancestor.
CREATE VIEW waiting (waiter) AS
SELECT d.doc
FROM document d
WHERE NOT d.finished AND EXISTS (SELECT 1 FROM link WHERE kind || '' IN ('waitsFor', 'blocks')) AND (
  -- Nearly all, fast.
  EXISTS (SELECT 1 FROM link l JOIN document t ON t.id_fold = l.target_fold
    WHERE l.doc = d.doc AND l.kind = 'waitsFor' AND NOT t.finished)
  OR EXISTS (SELECT 1 FROM unmet u WHERE u.waiter = d.doc)
  OR EXISTS (SELECT 1 FROM unmet_blocker u WHERE u.waiter = d.doc)
  OR EXISTS (SELECT 1 FROM link l WHERE l.doc = d.doc AND l.kind = 'parent') AND EXISTS (
    WITH RECURSIVE ancestor (doc) AS (
      SELECT p.meant FROM link_meant p WHERE p.source = d.doc AND p.kind = 'parent'
      UNION
      SELECT p.meant FROM ancestor CROSS JOIN link_meant p ON p.source = ancestor.doc AND p.kind = 'parent'
      LIMIT 20
    )
    SELECT 1 FROM ancestor
    WHERE EXISTS (SELECT 1 FROM unmet_outside u WHERE u.waiter = ancestor.doc)
      OR EXISTS (SELECT 1 FROM unmet_blocker_outside u WHERE u.waiter = ancestor.doc)));
