-- What texts name: ids, wiki links, and Markdown links to files. Nothing waits by these.

-- formerIds of the frontmatter.
CREATE TABLE former_id (
  id_fold TEXT NOT NULL,  -- as document.id_fold
  doc     INTEGER NOT NULL,
  PRIMARY KEY (id_fold, doc)
) WITHOUT ROWID;
CREATE INDEX former_id_by_doc ON former_id (doc);

-- One row for a document, kind and target, at most a thousand of a document.
CREATE TABLE reference (
  doc         INTEGER NOT NULL,
  item        INTEGER NOT NULL,  -- place in the document
  kind        TEXT NOT NULL,     -- mention, wiki, link
  target      TEXT NOT NULL,     -- id, page, or path from the workspace
  target_fold TEXT NOT NULL,     -- id that it may be, as document.id_fold
  name        TEXT NOT NULL,     -- of a file that does not begin with an id, else ''
  line        INTEGER NOT NULL,  -- the first, from 1
  PRIMARY KEY (doc, item)
) WITHOUT ROWID;
CREATE INDEX reference_by_target ON reference (target_fold);
CREATE INDEX reference_by_name   ON reference (name) WHERE name <> '';
CREATE INDEX reference_by_page   ON reference (target COLLATE NOCASE) WHERE kind = 'wiki';

-- The documents that a reference may mean: by path, else id, else file name, else title, else former
-- id. Each part asks whether an earlier one has any, which stays fast where many share a title.
CREATE VIEW reference_meant (source, item, kind, target, line, meant) AS
SELECT r.doc, r.item, r.kind, r.target, r.line, o.doc
FROM reference r CROSS JOIN document o ON o.path = r.target
WHERE r.kind = 'link'
UNION ALL
SELECT r.doc, r.item, r.kind, r.target, r.line, o.doc
FROM reference r CROSS JOIN document o ON o.id_fold = r.target_fold
WHERE NOT (r.kind = 'link' AND EXISTS (SELECT 1 FROM document WHERE path = r.target))
UNION ALL
SELECT r.doc, r.item, r.kind, r.target, r.line, o.doc
FROM reference r CROSS JOIN document o ON o.stem = r.name
WHERE r.name <> ''
  AND NOT (r.kind = 'link' AND EXISTS (SELECT 1 FROM document WHERE path = r.target))
  AND NOT EXISTS (SELECT 1 FROM document WHERE id_fold = r.target_fold)
UNION ALL
SELECT r.doc, r.item, r.kind, r.target, r.line, o.doc
FROM reference r CROSS JOIN document o ON o.title = r.target COLLATE NOCASE
WHERE r.kind = 'wiki'
  AND (o.workspace = ''
    OR (o.workspace, o.line) = (SELECT s.workspace, s.line FROM document s WHERE s.doc = r.doc))
  AND NOT EXISTS (SELECT 1 FROM document WHERE id_fold = r.target_fold)
  AND NOT EXISTS (SELECT 1 FROM document WHERE r.name <> '' AND stem = r.name)
UNION ALL
SELECT r.doc, r.item, r.kind, r.target, r.line, f.doc
FROM reference r CROSS JOIN former_id f ON f.id_fold = r.target_fold CROSS JOIN document o ON o.doc = f.doc
WHERE NOT (r.kind = 'link' AND EXISTS (SELECT 1 FROM document WHERE path = r.target))
  AND NOT EXISTS (SELECT 1 FROM document WHERE id_fold = r.target_fold)
  AND NOT EXISTS (SELECT 1 FROM document WHERE r.name <> '' AND stem = r.name)
  AND NOT (r.kind = 'wiki' AND EXISTS (SELECT 1 FROM document t WHERE t.title = r.target COLLATE NOCASE
    AND (t.workspace = ''
      OR (t.workspace, t.line) = (SELECT s.workspace, s.line FROM document s WHERE s.doc = r.doc))));

-- What means another document.
CREATE VIEW naming (source, kind, target, line, meant) AS
SELECT source, kind, target, NULL, meant FROM link_meant WHERE source <> meant
UNION ALL
SELECT source, kind, target, line, meant FROM reference_meant WHERE source <> meant;
