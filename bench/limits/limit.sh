#!/bin/bash
# The machine's limit for events of S steps: PostgreSQL alone writing what must be written, in batches of 500 by two
# clients, and a bare libcurl client making the calls. Both cores serve both, so the times add up.
# usage: limit.sh STEPS [SECONDS]      -> {"pg":…,"http":…,"limit":…}, all per second
set -euo pipefail
cd "$(dirname "$0")"; . ../env.sh
steps=$1 seconds=${2:-4}
[ "$PB/http_client" -nt http_client.c ] || gcc -O2 -Wall -Werror -o "$PB/http_client" http_client.c -lcurl
psql -qX -f schema.sql > /dev/null 2>&1
psql -qAtX -c "INSERT INTO ev (kind, payload) SELECT 'order.created', '{\"id\":12345,\"amount\":4200,\"currency\":\"EUR\",\"customer\":\"c-991\"}' FROM generate_series(1, 500000)"
psql -qAtX -c 'VACUUM ANALYZE ev' -c CHECKPOINT
./saga_cycle.sh 500 "$steps" > "$PB/saga_cycle.sql"
pg=$(pgbench -n -M prepared -h "$PGSOCK" -c 2 -j 1 -T "$seconds" -f "$PB/saga_cycle.sql" postgres 2> /dev/null | awk '/^tps/ { printf "%.0f", $3 * 500 }')
http=$("$PB/http_client" "$SINK_URL/e" 100 "$seconds")
curl -s -X POST "$SINK_URL/reset" > /dev/null
awk -v p="$pg" -v h="$http" -v s="$steps" 'BEGIN { printf "{\"pg\":%d,\"http\":%d,\"limit\":%d}\n", p, h, 1 / (1 / p + s / h) }'
