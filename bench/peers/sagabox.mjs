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
const configFile = (ctx) => `${process.env.PB}/${ctx.db}.conf`;
function writeConfig(ctx) {
  const steps = [...Array(ctx.steps).keys()];
  writeFileSync(configFile(ctx), `database.url = "${pgUrl(ctx.db)}"
outbox {
  poolSize = ${K.pool}, batchSize = ${K.batch}, maxInFlight = ${K.flight}, ordering = ${K.ordering}
  http.routes {
${steps.map((s) => `    s${s} { url = "${process.env.SINK_URL}/e/{event}/${s}" }`).join('\n')}
  }
  http.fanout.${type(ctx)} = [${steps.map((s) => `"s${s}"`).join(', ')}]
}
`);
}
export async function setup(ctx) { writeConfig(ctx); execFileSync(K.bin, ['migrate', '-c', configFile(ctx)], { stdio: 'ignore' }); }
// One envelope a step: the body that every peer sends, and the event's number for the URL.
const payloads = (ctx, i) => Object.fromEntries([...Array(ctx.steps).keys()].map((s) => [`s${s}`, { payload: payload(i), pathParams: { event: i } }]));
const payloadsSql = (ctx) => `jsonb_build_object(${[...Array(ctx.steps).keys()].map((s) => `'s${s}', jsonb_build_object('payload', ${payloadSql}, 'pathParams', jsonb_build_object('event', g))`).join(', ')})`;
export async function fill(ctx, n) {
  const c = await newClient(ctx.db);
  for (let i = 0; i < n; i += 2000) await c.query(`INSERT INTO outbox_events (aggregate_id, event_type, payloads) SELECT 'order-' || g, '${type(ctx)}', ${payloadsSql(ctx)} FROM generate_series(${i}, ${Math.min(n, i + 2000) - 1}) g`);
  await c.end();
}
export const insertOne = (ctx, c, i) => c.query({ name: 'ins', text: 'INSERT INTO outbox_events (aggregate_id, event_type, payloads) VALUES ($1, $2, $3)', values: [`order-${i}`, type(ctx), JSON.stringify(payloads(ctx, i))] });
export async function start(ctx) {
  const log = openSync(`${process.env.PB}/log/${ctx.db}.log`, 'w');
  const relay = spawn(K.bin, ['run', '-c', configFile(ctx)], { stdio: ['ignore', log, log] });
  relays.push(relay);
  let watching = true;
  (async () => { // it makes its calls itself, so they are counted at the sink
    for (let seen = 0; watching && seen < ctx.n;) {
      const whole = Math.floor(JSON.parse(await sinkGet('/stats')).distinct / ctx.steps);
      for (; seen < whole; seen++) ctx.countHandled();
      await sleep(10);
    }
  })();
  return () => new Promise((ok) => { watching = false; relay.on('exit', ok); relay.kill('SIGTERM'); setTimeout(() => relay.kill('SIGKILL'), 15000); });
}
export async function done(ctx) { return (await ctx.watchPool.query('SELECT 1 FROM outbox_events WHERE active LIMIT 1')).rowCount === 0; }
