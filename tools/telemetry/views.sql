-- One row for each call, for people.
DROP VIEW IF EXISTS calls;
CREATE VIEW calls AS
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', call.time / 1000.0, 'unixepoch') AS time,
  tool, client, outcome, failed, variant, tokens, bytes, original, budget, oversized, over, items,
  latency / 1000.0 AS latency_ms, real_tokens
FROM call JOIN series ON series.id = call.series;
