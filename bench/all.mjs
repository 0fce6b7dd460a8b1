// All cases, ours and the peers' runs interleaved so that the machine's drift hits all alike; medians and their ratios.
// usage: all.mjs [CASE...] [--peers LIST] [--rounds N] [--json] [--out FOLDER]
//   CASE     A A100k B B25k C H Adone Afut Asnap Aagg Ahang F G      default: all
//   --peers  default: pg-boss,graphile-worker. `batched`, a relay written by hand for this comparison that keeps no order, retries
//            nothing and undoes nothing, is run beside them for A and B, and is no peer
//   --json   one JSON line a case, and no table
//   --out    where RESULTS-sagabox.md, cases.jsonl, runs.jsonl and ratios.svg go; default: $PB/results
// Exits 1 where a run was incomplete, repeated a call, or left rows that break a rule.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { plot, table } from './report.mjs';

const here = new URL('.', import.meta.url).pathname;
const options = { peers: ['pg-boss', 'graphile-worker'], rounds: 5, json: false, out: `${process.env.PB}/results` };
const wanted = [];
for (let args = process.argv.slice(2), i = 0; i < args.length; i++) {
  if (args[i] === '--peers') options.peers = args[++i].split(',').filter(Boolean);
  else if (args[i] === '--rounds') options.rounds = +args[++i];
  else if (args[i] === '--json') options.json = true;
  else if (args[i] === '--out') options.out = args[++i];
  else wanted.push(args[i]);
}

// What each case runs, and what of it is compared. `unloaded`: the case whose figure this one is held against.
const cases = {
  A: { run: 'A', env: { N: 20000 }, key: 'ev_s', unit: 'events/s', steps: 1 },
  A100k: { run: 'A', env: { N: 100000 }, key: 'ev_s', unit: 'events/s', steps: 1 },
  B: { run: 'B', env: { N: 5000 }, key: 'ev_s', unit: 'sagas/s', steps: 4 },
  B25k: { run: 'B', env: { N: 25000 }, key: 'ev_s', unit: 'sagas/s', steps: 4 },
  C: { run: 'C', env: {}, key: 'ack_p50', unit: 'ms', lower: true, also: ['ack_p99'] },
  H: { run: 'H', env: { N: 5000 }, key: 'ev_s', unit: 'sagas undone/s', peers: [] },
  Adone: { run: 'Adone', env: { N: 20000 }, key: 'ev_s', unit: 'events/s', peers: ['pg-boss'], unloaded: 'A' },
  Afut: { run: 'Afut', env: { N: 20000 }, key: 'ev_s', unit: 'events/s', peers: ['pg-boss', 'graphile-worker'], unloaded: 'A' },
  Asnap: { run: 'Asnap', env: { N: 100000 }, key: 'ev_s', unit: 'events/s', unloaded: 'A100k' },
  Aagg: { run: 'Aagg', env: { N: 20000 }, key: 'ev_s', unit: 'events/s', peers: [], unloaded: 'A' },
  Ahang: { run: 'Ahang', env: { N: 20000, FLIGHT: 1000 } /* more than hang */, key: 'ev_s', unit: 'events/s', peers: [], unloaded: 'A' },
  G: { relays: [1, 2, 3], run: 'A', env: { N: 60000 }, key: 'ev_s', unit: 'events/s', peers: [] },
  F: { producers: true },
};
// The settings that tune.sh found best for each.
const settings = {
  sagabox: { POOL: process.env.POOL ?? '2', FLIGHT: process.env.FLIGHT ?? '250' },
  'pg-boss': { CONC: '100', BATCH: '500', WORKERS: '2' },
  'graphile-worker': { CONC: '100', LOCALQ: '500', BATCH_MS: '0' },
  batched: { CONC: '100', BATCH: '500', LANES: '2' },
};
const say = (text) => process.stderr.write(text);
const unknown = wanted.filter((name) => !cases[name]);
if (unknown.length || !(options.rounds > 0)) {
  say(`bench: there is no case ${unknown.join(', ')}; known are ${Object.keys(cases).join(' ')}\n`);
  process.exit(2);
}
mkdirSync(options.out, { recursive: true });
writeFileSync(`${options.out}/runs.jsonl`, '');

const median = (a) => { const s = a.filter((x) => x != null).sort((x, y) => x - y), h = s.length >> 1; return s.length ? (s.length % 2 ? s[h] : (s[h - 1] + s[h]) / 2) : null; };
const rounded = (x, digits = 2) => x == null ? null : +x.toFixed(digits);
let broken = false;

function run(peer, kase, env) {
  let line;
  try {
    const out = execFileSync(`${here}run.sh`, [peer, kase], { env: { ...process.env, ...settings[peer], TIMEOUT_S: '240', ...env }, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
    line = JSON.parse(out.split('\n').find((l) => l.startsWith('{')));
  } catch (error) { line = { peer, case: kase, failed: true }; }
  const bad = line.failed || line.complete === false || line.dups > 0 || String(line.audit ?? 'clean').startsWith('FINDINGS');
  if (peer === 'sagabox' && bad) { broken = true; say(`\nbench: a run of ours went wrong: ${JSON.stringify(line)}\n`); }
  appendFileSync(`${options.out}/runs.jsonl`, JSON.stringify({ ...line, ...env }) + '\n');
  return line;
}

function compare(name, spec) {
  const peers = (spec.peers ?? options.peers).filter((peer) => options.peers.includes(peer));
  const runs = ['sagabox', ...peers, ...(spec.steps ? ['batched'] : [])];
  const of = Object.fromEntries(runs.map((peer) => [peer, []]));
  const limits = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`${name} round ${round}/${options.rounds}:`);
    for (const peer of Object.keys(of)) {
      const line = run(peer, spec.run, Object.fromEntries(Object.entries(spec.env).map(([k, v]) => [k, String(v)])));
      of[peer].push(line);
      say(` ${peer} ${line[spec.key] ?? 'failed'}`);
    }
    if (spec.steps) {
      limits.push(JSON.parse(execFileSync(`${here}limits/limit.sh`, [String(spec.steps), '3'], { encoding: 'utf8' })).limit);
      say(` limit ${limits.at(-1)}`);
    }
    say('\n');
  }
  const figure = (peer, key = spec.key) => median(of[peer].map((line) => line[key]));
  const best = peers.filter((peer) => figure(peer) != null).sort((a, b) => spec.lower ? figure(a) - figure(b) : figure(b) - figure(a))[0];
  const result = { case: name, unit: spec.unit, ours: rounded(figure('sagabox')) };
  if (best) Object.assign(result, { best_peer: rounded(figure(best)), best_peer_name: best, ratio_to_best_peer: rounded(figure('sagabox') / figure(best)) });
  if (limits.length) Object.assign(result, { limit: median(limits), ratio_to_limit: rounded(figure('sagabox') / median(limits)) });
  for (const key of spec.also ?? []) {
    const other = peers.map((peer) => [figure(peer, key), peer]).filter(([f]) => f != null).sort((a, b) => a[0] - b[0])[0];
    Object.assign(result, { [key]: rounded(figure('sagabox', key)), [`best_${key}`]: other ? rounded(other[0]) : null, [`ratio_${key}`]: other ? rounded(figure('sagabox', key) / other[0]) : null });
  }
  for (const key of ['cpu_s_per_1000', 'pg_cpu_s_per_1000', 'rss_mb', 'wal_bytes_per_event']) if (figure('sagabox', key) != null) result[key] = rounded(figure('sagabox', key), 3);
  if (best && figure(best, 'cpu_s_per_1000')) result.ratio_relay_cpu = rounded(figure('sagabox', 'cpu_s_per_1000') / figure(best, 'cpu_s_per_1000'));
  result.peers = Object.fromEntries(runs.slice(1).map((peer) => [peer, rounded(figure(peer))]));
  return result;
}

function relays(name, spec) {
  const totals = {};
  for (let round = 1; round <= options.rounds; round++) {
    say(`${name} round ${round}/${options.rounds}:`);
    for (const count of spec.relays) {
      const line = run('sagabox', spec.run, { ...Object.fromEntries(Object.entries(spec.env).map(([k, v]) => [k, String(v)])), PROCS: String(count), POOL: '1' });
      (totals[count] ??= []).push(line[spec.key]);
      say(` ${count} relays ${line[spec.key] ?? 'failed'}`);
    }
    say('\n');
  }
  const of = Object.fromEntries(Object.entries(totals).map(([count, all]) => [count, rounded(median(all))]));
  return { case: name, unit: spec.unit, ours: of[3], relays: of, ratio_to_unloaded: rounded(of[3] / of[1]), peers: {} };
}

function producers(name) {
  const all = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`${name} round ${round}/${options.rounds}:`);
    all.push(JSON.parse(execFileSync(process.execPath, ['--no-warnings', `${here}producers.mjs`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })));
    say(` ${JSON.stringify(all.at(-1))}\n`);
  }
  const of = (key) => median(all.map((line) => line[key]));
  return { case: name, unit: 'commits/s', ours: of('busy'), ratio_free: rounded(of('free') / of('plain')), ratio_to_unloaded: rounded(of('busy') / of('plainBusy')), ratio_asleep: rounded(of('asleep') / of('plain')), commits: Object.fromEntries(['plain', 'free', 'plainBusy', 'busy', 'asleep'].map((key) => [key, of(key)])), peers: {} };
}

const results = [];
for (const name of wanted.length ? wanted : Object.keys(cases)) {
  const spec = cases[name];
  const result = spec.producers ? producers(name) : spec.relays ? relays(name, spec) : compare(name, spec);
  const unloaded = results.find((other) => other.case === spec.unloaded);
  if (unloaded) result.ratio_to_unloaded = rounded(result.ours / unloaded.ours);
  results.push(result);
  if (options.json) console.log(JSON.stringify(result));
}
const about = {
  date: new Date().toISOString().slice(0, 10), machine: `${cpus().length} x ${cpus()[0].model}`, rounds: options.rounds,
  postgresql: execFileSync(`${process.env.PGBIN}/postgres`, ['--version'], { encoding: 'utf8' }).trim(),
  sagabox: execFileSync(process.env.SAGABOX, ['--version'], { encoding: 'utf8' }).trim(), settings: settings.sagabox,
};
writeFileSync(`${options.out}/cases.jsonl`, results.map((r) => JSON.stringify(r)).join('\n') + '\n');
writeFileSync(`${options.out}/RESULTS-sagabox.md`, table(results, about));
writeFileSync(`${options.out}/ratios.svg`, plot(results));
if (!options.json) console.log(table(results, about));
say(`bench: ${options.out} has the table, the plot and every run\n`);
process.exit(broken ? 1 : 0);
