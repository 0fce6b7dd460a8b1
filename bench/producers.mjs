// Case F: commits per second of 8 clients that insert one event a transaction, with and without the trigger that wakes relays.
// usage: producers.mjs [SECONDS]       -> one JSON line
//   plain     no trigger, no relay                 free     the trigger, and no relay asleep
//   plainBusy no trigger, a relay at work          busy     the trigger, a relay at work
//   asleep    the trigger, and a listener that is asleep the whole time, so that every commit notifies: the worst there is
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { freshDb, newClient, sleep } from './lib/harness.mjs';
import * as sagabox from './peers/sagabox.mjs';

const seconds = +(process.argv[2] ?? 5);
const ctx = { db: 'bench_producers', n: 0, steps: 1, kase: 'A', base: 'A', countHandled() {} };
const script = `${process.env.PB}/producers.sql`;
writeFileSync(script, `\\set order random(1, 1000000000)
INSERT INTO outbox_events (aggregate_id, event_type, payloads) VALUES ('order-' || :order, 'Bench1', '{"s0": {"payload": {"id": 1, "kind": "order.created", "amount": 4200, "currency": "EUR", "customer": "c-991"}, "pathParams": {"event": 1}}}');
`);

async function commits({ trigger, relay, asleep }) {
  await freshDb(ctx.db);
  await sagabox.setup(ctx);
  const c = await newClient(ctx.db);
  if (!trigger) await c.query('ALTER TABLE outbox_events DISABLE TRIGGER outbox_wake');
  if (asleep) { // what a sleeping relay holds; see outbox_wake
    await c.query("SELECT pg_advisory_lock(7316, ('outbox_events'::regclass::oid::bigint & 2147483647)::int)");
    await c.query('LISTEN outbox_events_channel');
  }
  const stop = relay ? await sagabox.start(ctx) : null;
  if (relay) await sleep(1000);
  const out = execFileSync('pgbench', ['-n', '-M', 'prepared', '-h', process.env.PGSOCK, '-c', '8', '-j', '2', '-T', String(seconds), '-f', script, ctx.db], { stdio: ['ignore', 'pipe', 'ignore'] });
  await stop?.();
  await c.end();
  return Math.round(+/^tps = ([\d.]+)/m.exec(out)[1]);
}

const cases = {
  plain: {}, free: { trigger: true },
  plainBusy: { relay: true }, busy: { trigger: true, relay: true },
  asleep: { trigger: true, asleep: true },
};
const result = { case: 'F' };
for (const [name, how] of Object.entries(cases)) result[name] = await commits(how);
console.log(JSON.stringify(result));
process.exit(0);
