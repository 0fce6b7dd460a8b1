// sagabox: the relay as its own program; events are rows of outbox_events, each step's URL is made from the event's own payload.
// Knobs: SAGABOX (the binary), POOL (poolSize), BATCH (batchSize), FLIGHT (maxInFlight), ORDERING (aggregate or none).
import { spawn, execFileSync } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { newClient, payload, payloadSql, sinkGet, sleep, pgUrl } from '../lib/harness.mjs';
export const durableSteps = true, external = true;
const K = { bin: process.env.SAGABOX, pool: +(process.env.POOL ?? 1), batch: +(process.env.BATCH ?? 500), flight: +(process.env.FLIGHT ?? 1000), ordering: process.env.ORDERING ?? 'aggregate' };
export const knobs = () => `poolSize=${K.pool} batchSize=${K.batch} maxInFlight=${K.flight} ordering=${K.ordering}`;
const relays = [];
export const extraPids = () => relays.map((p) => p.pid);
const type = (ctx) => `Bench${ctx.steps}`;
const hanging = (ctx) => ctx.kase === 'Ahang' ? Math.round(ctx.n * 0.05) : 0; // events, the first of the backlog, whose destination never answers
// H: the last step is refused, so the three before it are undone.
export const expectedCalls = (ctx) => ctx.base === 'H' ? ctx.n * 7 : (ctx.n - hanging(ctx)) * ctx.steps;
function route(ctx, s) {
  if (ctx.base !== 'H') return `    s${s} { url = "${process.env.SINK_URL}/e/{event}/${s}" }`;
  if (s === ctx.steps - 1) return `    s${s} { url = "${process.env.SINK_URL}/no/{event}/${s}" }`;
  return `    s${s} { url = "${process.env.SINK_URL}/e/{event}/${s}", revert { url = "${process.env.SINK_URL}/undo/{event}/${s}", method = POST, extract { event = "request:$.id" } } }`;
}
const configFile = (ctx) => `${process.env.PB}/${ctx.db}.conf`;
function writeConfig(ctx) {
  const steps = [...Array(ctx.steps).keys()];
  writeFileSync(configFile(ctx), `database.url = "${pgUrl(ctx.db)}"
outbox {
  poolSize = ${K.pool}, batchSize = ${K.batch}, maxInFlight = ${K.flight}, ordering = ${K.ordering}
  http.routes {
${steps.map((s) => route(ctx, s)).join('\n')}
    hang { url = "${process.env.SINK_URL}/hang", timeout = 30 seconds }
  }
  http.fanout.BenchHang = ["hang"]
  http.fanout.${type(ctx)} = [${steps.map((s) => `"s${s}"`).join(', ')}]
}
`);
}
export async function setup(ctx) { writeConfig(ctx); execFileSync(K.bin, ['migrate', '-c', configFile(ctx)], { stdio: 'ignore' }); }
// One envelope a step: the body that every peer sends, and the event's number for the URL.
const payloads = (ctx, i) => Object.fromEntries([...Array(ctx.steps).keys()].map((s) => [`s${s}`, { payload: payload(i), pathParams: { event: i } }]));
const payloadsSql = (ctx) => `jsonb_build_object(${[...Array(ctx.steps).keys()].map((s) => `'s${s}', jsonb_build_object('payload', ${payloadSql}, 'pathParams', jsonb_build_object('event', g))`).join(', ')})`;
export async function fill(ctx, n) {
  const c = await newClient(ctx.db), few = ctx.kase === 'Aagg' ? ' % 10' : '', hang = hanging(ctx);
  if (hang) await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads) SELECT 'hang-' || g, 'BenchHang', '{}' FROM generate_series(1, ${hang}) g`);
  for (let i = hang; i < n; i += 2000) await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads) SELECT 'order-' || (g${few}), '${type(ctx)}', ${payloadsSql(ctx)} FROM generate_series(${i}, ${Math.min(n, i + 2000) - 1}) g`);
  await c.end();
}
// A million rows, ended an hour ago with their results, or due tomorrow.
export async function preload(ctx, kind, n) {
  const c = await newClient(ctx.db);
  const payloads = `jsonb_build_object('s0', jsonb_build_object('payload', ${payloadSql}, 'pathParams', jsonb_build_object('event', g)))`;
  await c.query('ALTER TABLE outbox_events DISABLE TRIGGER USER; ALTER TABLE aggregate_results DISABLE TRIGGER USER');
  if (kind === 'done') {
    await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads, status, created_at, status_changed_at) SELECT 'old-' || g, '${type(ctx)}', ${payloads}, 'PROCESSED', now() - interval '1 hour', now() - interval '1 hour' FROM generate_series(1, ${n}) g`);
    await c.query(`INSERT INTO aggregate_results (event_id, aggregate_id, event_type, destination, endpoint_url, http_method, request_payload, response_status, response_payload, published_at, duration_ms, success, outcome, fanout_order, attempt) SELECT id, aggregate_id, event_type, 's0', '${process.env.SINK_URL}/e/1/0', 'POST', payloads->'s0'->'payload', 200, '{"id":"R-1-0"}', now() - interval '1 hour', 1, true, 'succeeded', 0, 1 FROM outbox_events`);
  } else await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads, next_retry_at) SELECT 'later-' || g, '${type(ctx)}', ${payloads}, now() + interval '1 day' FROM generate_series(1, ${n}) g`);
  await c.query('ALTER TABLE outbox_events ENABLE TRIGGER USER; ALTER TABLE aggregate_results ENABLE TRIGGER USER');
  await c.query('VACUUM ANALYZE'); await c.end();
}
export const insertOne = (ctx, c, i) => c.query({ name: 'ins', text: 'INSERT INTO outbox_events (aggregate_id, event_type, payloads) VALUES ($1, $2, $3)', values: [`order-${i}`, type(ctx), JSON.stringify(payloads(ctx, i))] });
export async function start(ctx) {
  const log = openSync(`${process.env.PB}/log/${ctx.db}.log`, 'w');
  const relay = spawn(K.bin, ['run', '-c', configFile(ctx)], { stdio: ['ignore', log, log] });
  relays.push(relay);
  process.on('exit', () => relay.kill('SIGKILL')); // one that is left over would do the next run's work
  process.on('SIGTERM', () => process.exit(2));
  let watching = true;
  (async () => { // it makes its calls itself, so they are counted at the sink
    for (let seen = 0; watching && seen < ctx.n;) {
      const stats = JSON.parse(await sinkGet('/stats'));
      const whole = stats.distinct >= ctx.expected ? ctx.n : Math.floor(stats.distinct * ctx.n / ctx.expected);
      for (; seen < whole; seen++) ctx.countHandled();
      await sleep(10);
    }
  })();
  return () => new Promise((ok) => { watching = false; relay.on('exit', ok); relay.kill('SIGTERM'); setTimeout(() => relay.kill('SIGKILL'), 15000); });
}
export async function done(ctx) {
  if (ctx.kase === 'Ahang') return true; // the hanging ones go on hanging
  const open = `SELECT 1 FROM outbox_events WHERE active${ctx.kase === 'Afut' ? ' AND next_retry_at IS NULL' : ''} UNION ALL SELECT 1 FROM dead_letter_events WHERE active LIMIT 1`;
  return (await ctx.watchPool.query(open)).rowCount === 0;
}
// Every row held against the rules; what ended before the run is not this run's.
export function audit(ctx) {
  if (ctx.kase === 'Adone' || ctx.kase === 'Afut') return 'left out';
  try { execFileSync(K.bin, ['audit', '-c', configFile(ctx)], { stdio: ['ignore', 'pipe', 'pipe'] }); return 'clean'; }
  catch (error) { return `FINDINGS: ${String(error.stdout).slice(0, 200)}`; }
}
