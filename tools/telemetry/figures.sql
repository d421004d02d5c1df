-- The figures of calls, by a key. Errors of estimates are in thousandths.
WITH chosen AS (
  SELECT {columns} FROM call WHERE time >= ?1 AND time < ?2
), keyed AS (
  SELECT {key} AS key, tokens, bytes, original, items, latency, oversized, over, failed,
    NOT failed AND instr('+' || outcome || '+', '+paginated+') > 0 AS paginated,
    NOT failed AND instr('+' || outcome || '+', '+summarized+') > 0 AS summarized,
    NOT failed AND instr('+' || outcome || '+', '+chunked+') > 0 AS chunked,
    (tokens - real_tokens) * 1000 / real_tokens AS error -- NULL where the tokens were not counted
  FROM chosen JOIN series ON series.id = chosen.series
  WHERE (?3 = '' OR tool = ?3) AND (?4 = '' OR client = ?4) AND (?5 = '' OR variant = ?5)
    AND (?6 = '' OR instr('+' || outcome || '+', '+' || ?6 || '+') OR ?6 = 'error' AND failed)
)
SELECT key, json_object( -- with the names that Figures has
  'calls', count(*), 'errors', sum(failed), 'paginated', sum(paginated), 'summarized', sum(summarized),
  'chunked', sum(chunked), 'oversized', sum(oversized), 'sentOversized', sum(over), 'items', sum(items),
  'bytes', sum(bytes), 'originalBytes', sum(original), 'tokens', sum(tokens),
  'tokensP50', percentile(tokens, 50), 'tokensP95', percentile(tokens, 95),
  'bytesP50', percentile(bytes, 50), 'bytesP95', percentile(bytes, 95),
  'latencyMsP50', percentile(latency, 50) / 1000.0, 'latencyMsP95', percentile(latency, 95) / 1000.0,
  'meanBytes', avg(bytes), 'reduction', 1 - sum(bytes) * 1.0 / nullif(sum(original), 0),
  'paginationShare', avg(paginated), 'errorShare', avg(failed), 'oversizedShare', avg(oversized),
  'estimate', json_object('sampled', count(error), 'low', count(*) FILTER (WHERE error < 0),
    'meanError', avg(error) / 1000, 'p95Error', percentile(abs(error), 95) / 1000.0))
FROM keyed GROUP BY key ORDER BY {order}
