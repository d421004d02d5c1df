-- For people. Times are ISO, unset fields are NULL. A document without a status or a
-- priority counts as having those of new documents: open and medium, unless the workspace
-- has its own.

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
       'the id ' || id || ' is also that of ' || -- five: a thousand that name each other are a million names
       (SELECT group_concat(path, ', ') FROM (SELECT o.path FROM document o WHERE o.id = d.id AND o.doc <> d.doc LIMIT 5)) ||
       iif(EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc LIMIT 1 OFFSET 5), ' and others', '')
FROM document d
WHERE EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc)
UNION ALL
SELECT path, id, 'dangling-parent', NULL,
       'the parent ' || parent || ' is no document of this workspace'
FROM document d
WHERE parent <> ''
  AND NOT EXISTS (SELECT 1 FROM link_meant m WHERE m.source = d.doc AND m.kind = 'parent' AND m.target_fold = d.parent_fold);

-- What a status means: open, active, done or cancelled.
CREATE VIEW statuses AS
SELECT json_extract(value, '$.name') AS status, json_extract(value, '$.category') AS category
FROM state, json_each(state.layout, '$.statuses');

CREATE VIEW stats_by_status AS
SELECT type, status, sum(documents) AS documents
FROM facet_tally GROUP BY type, status;
