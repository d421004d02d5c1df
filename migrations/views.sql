-- Views for people: times are ISO, unset fields NULL.

CREATE VIEW documents AS
SELECT path, id, title, type,
       status,
       priority,
       (SELECT group_concat(value, ', ') FROM json_each(labels)) AS labels,
       nullif(assignee, '') AS assignee,
       nullif(project, '')  AS project,
       nullif(parent, '')   AS parent,
       strftime('%Y-%m-%dT%H:%M:%SZ', created / 1000, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%SZ', updated / 1000, 'unixepoch') AS updated,
       strftime('%Y-%m-%dT%H:%M:%SZ', closed / 1000, 'unixepoch')  AS closed,
       context AS wrangler_context,
       size AS bytes,
       boxes_checked,
       boxes_total
FROM document;

CREATE VIEW labels AS
SELECT label, documents FROM label_tally;

CREATE VIEW problems AS
SELECT d.path, d.id, p.code, nullif(p.line, 0) AS line, p.message
FROM document_problem p JOIN document d USING (doc)
UNION ALL
SELECT path, id, 'duplicate-id', NULL,
       'the id ' || id || ' is also that of ' ||
       (SELECT group_concat(path, ', ')
        FROM (SELECT o.path FROM document o WHERE o.id = d.id AND o.doc <> d.doc ORDER BY o.path LIMIT 5)) ||
       iif(EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc LIMIT 1 OFFSET 5), ' and others', '')
FROM document d
WHERE EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc)
UNION ALL
SELECT path, id, 'dangling-parent', NULL,
       'the parent ' || parent || ' is no document of this workspace'
FROM document d
WHERE parent <> ''
  AND NOT EXISTS (SELECT 1 FROM link_meant m
    WHERE m.source = d.doc AND m.kind = 'parent' AND m.target_fold = d.parent_fold);

-- What a status means: open, active, done or cancelled.
CREATE VIEW statuses AS
SELECT json_extract(value, '$.name') AS status, json_extract(value, '$.category') AS category
FROM state, json_each(state.layout, '$.statuses');

CREATE VIEW stats_by_status AS
SELECT type, status, sum(documents) AS documents
FROM facet_tally GROUP BY type, status;

CREATE VIEW stats_by_workspace AS
SELECT workspace, line, type, status, sum(documents) AS documents
FROM facet_tally WHERE workspace <> '' GROUP BY workspace, line, type, status;

-- A link to no document or to several has no path. What only looks like an id is left out.
CREATE VIEW links AS
SELECT s.path, s.id, l.kind, l.target,
       (SELECT iif(count(*) = 1, max(t.path), NULL) FROM link_meant m JOIN document t ON t.doc = m.meant
        WHERE m.source = l.doc AND m.kind = l.kind AND m.target_fold = l.target_fold) AS target_path,
       NULL AS line
FROM link l JOIN document s ON s.doc = l.doc
UNION ALL
SELECT s.path, s.id, r.kind, r.target,
       (SELECT iif(count(*) = 1, max(t.path), NULL) FROM reference_meant m JOIN document t ON t.doc = m.meant
        WHERE m.source = r.doc AND m.item = r.item),
       r.line
FROM reference r JOIN document s ON s.doc = r.doc
WHERE r.kind <> 'mention' OR EXISTS (SELECT 1 FROM reference_meant m WHERE m.source = r.doc AND m.item = r.item);

-- What names a document.
CREATE VIEW backlinks AS
SELECT t.path, t.id, n.kind, s.path AS source_path, s.id AS source_id, n.line
FROM naming n JOIN document t ON t.doc = n.meant JOIN document s ON s.doc = n.source;

-- Documents that name no other one, and that no other one names.
CREATE VIEW orphans AS
SELECT path, id, title, type, status
FROM document
WHERE doc NOT IN (SELECT source FROM naming UNION SELECT meant FROM naming);

-- Links to no document, without ids of other repositories and what begins as no id here does.
CREATE VIEW broken_links AS
SELECT s.path, NULL AS line, s.id, l.kind, l.target
FROM link l JOIN document s ON s.doc = l.doc
WHERE l.target NOT LIKE '%:%'
  AND NOT EXISTS (SELECT 1 FROM link_meant m
    WHERE m.source = l.doc AND m.kind = l.kind AND m.target_fold = l.target_fold)
UNION ALL
SELECT s.path, r.line, s.id, r.kind, r.target
FROM reference r JOIN document s ON s.doc = r.doc
WHERE NOT EXISTS (SELECT 1 FROM reference_meant m WHERE m.source = r.doc AND m.item = r.item)
  AND (r.kind <> 'mention' OR EXISTS (SELECT 1 FROM document o
    WHERE o.id_fold >= substr(r.target_fold, 1,
        instr(r.target_fold, ':') + instr(substr(r.target_fold, instr(r.target_fold, ':') + 1), '-'))
      AND o.id_fold < substr(r.target_fold, 1,
        instr(r.target_fold, ':') + instr(substr(r.target_fold, instr(r.target_fold, ':') + 1), '-'))
        || char(1114111)));

-- What can be begun.
CREATE VIEW ready AS
SELECT path, id, title, type, priority, nullif(assignee, '') AS assignee
FROM document
WHERE status IN (SELECT status FROM statuses WHERE category = 'open') AND NOT finished
  AND coalesce(deferred, 0) <= strftime('%s', 'now') * 1000
  AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiter = doc)
  AND NOT EXISTS (SELECT 1 FROM open_child WHERE container = doc);

-- What waits, and for what; NULL when only an ancestor does.
CREATE VIEW blocked AS
SELECT path, id, title, type, status, priority, nullif(assignee, '') AS assignee,
       (SELECT group_concat(target, ', ') FROM (
          SELECT target FROM unmet WHERE waiter = doc
          UNION
          SELECT b.id FROM unmet_blocker u JOIN document b ON b.doc = u.blocker
          WHERE u.waiter = document.doc)) AS waits_for
FROM document
WHERE EXISTS (SELECT 1 FROM waiting WHERE waiter = doc);
