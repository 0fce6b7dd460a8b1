#!/bin/bash
# Prints the pgbench script for what a relay must write for N events of S steps, in batches and nothing besides: claim
# (1 commit), each step's results (1 commit each), the last together with the end.
N=$1 S=$2
cat <<SQL
WITH c AS (SELECT id FROM ev WHERE status = 0 ORDER BY id LIMIT $N FOR UPDATE SKIP LOCKED),
     u AS (UPDATE ev SET status = 1, locked_until = now() + interval '30 s' FROM c WHERE ev.id = c.id RETURNING ev.id, ev.payload)
SELECT coalesce(array_agg(id), '{}') AS ids FROM u \gset
SQL
for ((s = 1; s < S; s++)); do
  echo "INSERT INTO res (event_id, step, status, body) SELECT i, $s, 200, '{\"id\":\"R-1\"}' FROM unnest(:ids::bigint[]) i;"
done
cat <<SQL
BEGIN;
INSERT INTO res (event_id, step, status, body) SELECT i, $S, 200, '{"id":"R-1"}' FROM unnest(:ids::bigint[]) i;
UPDATE ev SET status = 2, locked_until = NULL WHERE id = ANY(:ids::bigint[]);
COMMIT;
SQL
