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
SELECT key, count(*), sum(failed), sum(paginated), sum(summarized), sum(chunked), sum(oversized), sum(over),
  sum(items), sum(bytes), sum(original), sum(tokens),
  percentile(tokens, 50), percentile(tokens, 95), percentile(bytes, 50), percentile(bytes, 95),
  percentile(latency, 50) / 1000.0, percentile(latency, 95) / 1000.0,
  avg(bytes), coalesce(1 - sum(bytes) * 1.0 / nullif(sum(original), 0), 0),
  avg(paginated), avg(failed), avg(oversized),
  count(error), count(*) FILTER (WHERE error < 0),
  coalesce(avg(error), 0) / 1000, coalesce(percentile(abs(error), 95), 0) / 1000.0
FROM keyed GROUP BY key ORDER BY {order}
