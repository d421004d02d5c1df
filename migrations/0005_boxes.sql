-- The boxes of task lists.

ALTER TABLE document ADD COLUMN boxes_total   INTEGER NOT NULL DEFAULT 0;  -- task list items of the text
ALTER TABLE document ADD COLUMN boxes_checked INTEGER NOT NULL DEFAULT 0;  -- those that are checked

-- The documents with open boxes. The last two columns are for the condition, so that a list
-- or a count needs no look at the table.
CREATE INDEX document_open_boxes ON document (updated, path, type, status, priority, boxes_checked, boxes_total)
  WHERE boxes_checked < boxes_total;

DROP VIEW documents;
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
