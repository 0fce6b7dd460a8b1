#!/bin/bash
# Installs the peers, creates and starts the private PostgreSQL 15 cluster, the sink, nginx and redis.
# Idempotent; pids go to $PB/*.pid and stop.sh ends exactly those.
set -euo pipefail
cd "$(dirname "$0")"; . ./env.sh
mkdir -p $PB/run $PB/log $PB/sock $PB/pg $PB/redis; chmod 755 $PB; chown postgres $PB/pg $PB/sock $PB/log
if [ ! -x $NODE ]; then cp package.json $NODE_DIR/; (cd $NODE_DIR && npm install --no-audit --no-fund --ignore-scripts --loglevel=error); fi
[ -x $PB/sink ] && [ $PB/sink -nt sink/sink.c ] || gcc -O2 -o $PB/sink sink/sink.c
if [ ! -f $PGDATA/PG_VERSION ]; then
  runuser -u postgres -- $PGBIN/initdb -D $PGDATA -A trust -U postgres --locale=C.UTF-8 -E UTF8 >/dev/null
fi
# Defaults (fsync=on, synchronous_commit=on, shared_buffers=128MB) except what a peer cannot start without:
# wal_level=logical for pg-transactional-outbox's replication listener, max_connections for pools of 100.
cat > $PGDATA/conf.bench <<C
port = $PGPORT
listen_addresses = '127.0.0.1'
unix_socket_directories = '$PGSOCK'
max_connections = 300
wal_level = ${WAL_LEVEL:-replica}
C
chown postgres $PGDATA/conf.bench
grep -q conf.bench $PGDATA/postgresql.conf || echo "include = 'conf.bench'" >> $PGDATA/postgresql.conf
runuser -u postgres -- $PGBIN/pg_ctl -D $PGDATA status >/dev/null || runuser -u postgres -- $PGBIN/pg_ctl -D $PGDATA -l $PB/log/pg.log -w start >/dev/null
alive() { [ -f $1 ] && kill -0 "$(cat $1)" 2>/dev/null; }
alive $PB/sink.pid || { setsid $PB/sink $SINK_PORT >$PB/log/sink.log 2>&1 & echo $! > $PB/sink.pid; }
# nginx (a limit to compare the sink with) and redis (for bullmq) only where they are installed: no other peer needs them.
if command -v nginx >/dev/null; then
cat > $PB/nginx.conf <<C
worker_processes 1; pid $PB/nginx.pid; error_log $PB/log/nginx.err;
events { worker_connections 2048; }
http { access_log off; keepalive_requests 100000000; keepalive_timeout 3600s;
  server { listen 127.0.0.1:$NGINX_PORT; location / { default_type application/json; return 200 '{"id":"R-1"}'; } } }
C
alive $PB/nginx.pid || nginx -c $PB/nginx.conf
fi
# redis: two durability settings, chosen per run by CONFIG SET in the harness
if command -v redis-server >/dev/null; then
alive $PB/redis.pid || redis-server --port $REDIS_PORT --bind 127.0.0.1 --dir $PB/redis --daemonize yes --pidfile $PB/redis.pid --logfile $PB/log/redis.log --save '' --appendonly yes --appendfsync everysec >/dev/null
fi
echo ready
