// What the console and the API ask, on 1,000,000 finished events with their results: how long each answer takes, and by
// which plans PostgreSQL finds it.
// usage: console.mjs [EVENTS] [REQUESTS]
// Prints a table in Markdown. Exits 1 where an answer is slower than 100 ms (95th percentile) or a plan reads a whole table.
import { execFileSync, spawn } from 'node:child_process';
import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { freshDb, newClient, payloadSql, pgUrl, sleep } from './lib/harness.mjs';

const events = +(process.argv[2] ?? 1_000_000), requests = +(process.argv[3] ?? 30);
const db = 'bench_console', port = 9106, slowest = 100;
const large = ['outbox_events', 'aggregate_results', 'dead_letter_events', 'email_messages', 'email_recipients'];
const log = `${process.env.PB}/log/pg.log`, config = `${process.env.PB}/${db}.conf`;
const say = (text) => process.stderr.write(`${text}\n`);

writeFileSync(config, `database.url = "${pgUrl(db)}"
http.port = ${port}
outbox {
  http.routes { s0 { url = "${process.env.SINK_URL}/hang", timeout = 10 minutes, revert { url = "${process.env.SINK_URL}/undo/{event}/0", extract { event = "request:$.id" } } } }
  http.fanout.Bench1 = ["s0"]
  http.fanout.Bench2 = ["s0"]
}
email { from = "shop@x.example", providers = [ { name = one, http { url = "${process.env.SINK_URL}/hang", body = """{"to": {to}}""" } } ] }
`);

await freshDb(db);
execFileSync(process.env.SAGABOX, ['migrate', '-c', config], { stdio: 'ignore' });
const c = await newClient(db);
say(`writing ${events} finished events, their results, ${events / 100} letters and ${events / 20} messages ...`);
await c.query('ALTER TABLE outbox_events DISABLE TRIGGER USER; ALTER TABLE aggregate_results DISABLE TRIGGER USER');
await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads, status, created_at, status_changed_at, moved_to_dlq)
  SELECT 'order-' || g % 200000, 'Bench' || 1 + g % 2, jsonb_build_object('s0', ${payloadSql}), CASE WHEN g % 97 = 0 THEN 'CANCELLED' ELSE 'PROCESSED' END,
         now() - (${events} - g) * interval '500 ms', now() - (${events} - g) * interval '500 ms', g % 100 = 0 FROM generate_series(1, ${events}) g`);
await c.query(`INSERT INTO aggregate_results (event_id, aggregate_id, event_type, destination, endpoint_url, http_method, request_payload, response_status, response_payload, published_at, duration_ms, success, outcome, fanout_order, attempt)
  SELECT id, aggregate_id, event_type, 's0', 'http://127.0.0.1/e/1/0', 'POST', payloads->'s0', 200, '{"id":"R-1-0"}', status_changed_at, 1, true, 'succeeded', 0, 1 FROM outbox_events ORDER BY id`);
await c.query(`INSERT INTO dead_letter_events (original_event_id, aggregate_id, event_type, payloads, created_at, failed_at, retry_count, last_error, reason, status)
  SELECT id, aggregate_id, event_type, payloads, created_at, status_changed_at, 3, 's0: 503 Service Unavailable', 'MAX_RETRIES_EXCEEDED',
         CASE WHEN id % 1000 = 0 THEN 'FAILED' WHEN id % 300 = 0 THEN 'RESOLVED' ELSE 'PROCESSED' END FROM outbox_events WHERE moved_to_dlq`);
await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads) SELECT 'open-' || g, 'Bench1', jsonb_build_object('s0', ${payloadSql}) FROM generate_series(1, 200) g`);
await c.query('ALTER TABLE outbox_events ENABLE TRIGGER USER; ALTER TABLE aggregate_results ENABLE TRIGGER USER');
await c.query(`INSERT INTO email_messages (event_id, message_id, correlation_id, document_type, received_at, to_addresses, subject, text_body, status, ended_at)
  SELECT g, 'm' || g || '@x.example', 'order-' || g, 'invoice', now() - g * interval '1 s', array['c' || g % 1000 || '@x.example'], 'Your order ' || g, 'Text',
         CASE WHEN g % 500 = 0 THEN 'FAILED_NOT_RETRYABLE' ELSE 'SUCCESS_SENT' END, now() FROM generate_series(1, ${events / 20}) g`);
await c.query(`INSERT INTO email_recipients (message_id, address) SELECT id, to_addresses[1] FROM email_messages`);
await c.query('VACUUM ANALYZE');
await c.query(`ALTER DATABASE ${db} SET session_preload_libraries = 'auto_explain'`);
for (const [name, value] of Object.entries({ log_min_duration: 0, log_analyze: 'on', log_format: 'json', log_timing: 'off' })) await c.query(`ALTER DATABASE ${db} SET auto_explain.${name} = '${value}'`);
const some = (await c.query(`SELECT max(id) FILTER (WHERE status = 'PROCESSED' AND NOT moved_to_dlq) AS done, max(id) FILTER (WHERE moved_to_dlq) AS failed, max(id) AS open FROM outbox_events`)).rows[0];
const letter = (await c.query(`SELECT max(id) AS id FROM dead_letter_events`)).rows[0].id;

const output = openSync(`${process.env.PB}/log/${db}.log`, 'w');
const relay = spawn(process.env.SAGABOX, ['run', '-c', config], { stdio: ['ignore', output, output] });
const ask = async (path) => { const r = await fetch(`http://127.0.0.1:${port}${path}`); await r.arrayBuffer(); return r.status; };
for (let i = 0; i < 200 && !(await ask('/readyz').then(() => true, () => false)); i++) await sleep(100);
await sleep(1500);

const paths = [
  ['Overview', '/api/outbox/stats'], ['Overview', '/api/outbox/traffic'], ['Sagas', '/api/outbox/sagas?limit=50'],
  ['Sagas, second page', `/api/outbox/sagas?limit=50&before=${some.done}`], ['Sagas of a status', '/api/outbox/sagas?status=PROCESSED&limit=50'],
  ['Sagas that wait', '/api/outbox/sagas?status=PROCESSING&limit=50'], ['Sagas of a rare status', '/api/outbox/sagas?status=CANCELLED&limit=50'],
  ['Sagas of a type', '/api/outbox/sagas?type=Bench2&limit=50'], ['Sagas of a type that is not there', '/api/outbox/sagas?type=Nothing&limit=50'],
  ['Sagas of an aggregate', '/api/outbox/sagas?aggregate=order-77&limit=50'], ['Events', '/api/outbox/events?limit=50'],
  ['Event', `/api/outbox/events/${some.done}`], ['Event, failed', `/api/outbox/events/${some.failed}`], ['Event, open', `/api/outbox/events/${some.open}`],
  ['Event, explained', `/api/outbox/events/${some.failed}/explain`], ['Dead letters', '/api/dead-letters?limit=50'],
  ['Dead letters for a person', '/api/dead-letters?status=FAILED&limit=50'], ['Dead letters of a reason', '/api/dead-letters?reason=POISONED&limit=50'],
  ['Dead letter', `/api/dead-letters/${letter}`], ['Mail', '/api/emails?limit=50'], ['Mail, counted', '/api/emails/stats'],
  ['Mail of a status', '/api/emails?status=FAILED_NOT_RETRYABLE&limit=50'], ['Mail to somebody', '/api/emails?recipient=c7@x.example&limit=50'],
  ['Mail of a correlation', '/api/emails?correlationId=order-77&limit=50'], ['Readiness', '/readyz'], ['Metrics', '/metrics'],
];
let wrong = 0;
const rows = [];
for (const [page, path] of paths) {
  const times = [];
  let status;
  const from = statSync(log).size;
  for (let i = 0; i < requests; i++) { const t = performance.now(); status = await ask(path); times.push(performance.now() - t); }
  await sleep(50);
  const scans = wholeTables(readFileSync(log).subarray(from).toString());
  times.sort((a, b) => a - b);
  const p95 = times[Math.min(times.length - 1, Math.floor(times.length * 0.95))];
  const bad = status >= 400 && path !== '/readyz' || p95 > slowest || scans.length > 0;
  wrong += bad ? 1 : 0;
  rows.push(`| ${page} | \`${path.replace(/\d{4,}/, '…')}\` | ${times[times.length >> 1].toFixed(1)} | ${p95.toFixed(1)} | ${times.at(-1).toFixed(1)} | ${scans.join(', ') || 'none'}${status >= 400 ? ` (status ${status})` : ''} |`);
  say(rows.at(-1));
}
relay.kill('SIGTERM');
console.log(`| page | request | median ms | 95 % ms | slowest ms | reads a whole table |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}`);
await c.end();
process.exit(wrong ? 1 : 0);

// The plans of the API's sessions that read one of the large tables from end to end.
function wholeTables(text) {
  const found = new Set();
  for (const [, plan] of text.matchAll(/plan:\s*(\{[\s\S]*?\n\t\})/g)) {
    let parsed;
    try { parsed = JSON.parse(plan); } catch { continue; }
    const walk = (node) => {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      if (node['Node Type'] === 'Seq Scan' && large.includes(node['Relation Name']) && rows > 10_000) found.add(node['Relation Name']);
      if (/Index/.test(node['Node Type']) && (node['Rows Removed by Filter'] ?? 0) > 100_000) found.add(`${node['Index Name']} (${node['Rows Removed by Filter']} rows passed over)`);
      (node.Plans ?? []).forEach(walk);
    };
    walk(parsed.Plan);
  }
  return [...found];
}
