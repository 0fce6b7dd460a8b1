// usage: ratios.mjs FILE.jsonl  -> medians by peer, and Sagabox's against each: of the medians, and the median of the ratios within a round.
import { readFileSync } from 'node:fs';
const runs = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((l) => JSON.parse(l)).filter((r) => !r.failed);
const median = (a) => { const s = [...a].sort((x, y) => x - y), h = s.length >> 1; return s.length % 2 ? s[h] : (s[h - 1] + s[h]) / 2; };
const of = (peer, key) => runs.filter((r) => r.peer === peer && r[key] != null).map((r) => r[key]);
const keys = ['ev_s', 'cpu_s_per_1000', 'pg_cpu_s_per_1000', 'ack_p50', 'ack_p99', 'rss_mb'].filter((k) => of('sagabox', k).length);
for (const peer of new Set(runs.map((r) => r.peer))) {
  const cells = keys.map((key) => {
    const theirs = of(peer, key), ours = of('sagabox', key), rounds = Math.min(ours.length, theirs.length);
    const ratio = median(Array.from({ length: rounds }, (_, i) => ours[i] / theirs[i]));
    return `${key} ${+median(theirs).toFixed(4)}` + (peer === 'sagabox' ? '' : ` (sagabox: x${(median(ours) / median(theirs)).toFixed(2)}, by round x${ratio.toFixed(2)})`);
  });
  const bad = runs.filter((r) => r.peer === peer && (r.complete === false || r.dups)).length;
  console.log(`${peer}: ${cells.join('; ')}${bad ? `; ${bad} run(s) INCOMPLETE or with repeated calls` : ''}`);
}
