// What all.mjs found, as a table in Markdown and a plot in SVG.
const shown = (x) => x == null ? '' : String(x);

export function table(results, about) {
  const rows = results.map((r) => `| ${r.case} | ${shown(r.ours)} ${r.unit} | ${r.best_peer_name ? `${shown(r.best_peer)} (${r.best_peer_name})` : ''} | ${shown(r.ratio_to_best_peer)} | ${shown(r.limit)} | ${shown(r.ratio_to_limit)} | ${shown(r.ratio_to_unloaded)} | ${shown(r.cpu_s_per_1000)} | ${shown(r.ratio_relay_cpu)} | ${shown(r.pg_cpu_s_per_1000)} | ${shown(r.wal_bytes_per_event)} | ${shown(r.rss_mb)} |`);
  const more = results.flatMap((r) => [
    ...(r.ack_p99 != null ? [`- ${r.case}: p99 ${r.ack_p99} ms, the best peer's ${shown(r.best_ack_p99)} ms (x ${shown(r.ratio_ack_p99)})`] : []),
    ...(r.relays ? [`- ${r.case}: ${Object.entries(r.relays).map(([n, f]) => `${n} relays ${f}`).join(', ')} ${r.unit}`] : []),
    ...(r.commits ? [`- ${r.case}: ${Object.entries(r.commits).map(([n, f]) => `${n} ${f}`).join(', ')} commits/s; free/plain ${r.ratio_free}, asleep/plain ${r.ratio_asleep}`] : []),
    ...(Object.keys(r.peers).length ? [`- ${r.case}: ${Object.entries(r.peers).map(([n, f]) => `${n} ${shown(f)}`).join(', ')}`] : []),
  ]);
  return `${about.date}, ${about.machine}, ${about.postgresql}, ${about.sagabox}, ${JSON.stringify(about.settings)}, medians of ${about.rounds} interleaved rounds.

| case | ours | best peer | ours / best peer | limit | ours / limit | ours / without the load | relay CPU s per 1,000 | relay CPU / best peer's | PostgreSQL CPU s per 1,000 | WAL bytes per event | peak MB |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

${more.join('\n')}
`;
}

// One bar a case, as long as ours is to the best peer's; a line at 1. Better is longer, also where less is better.
export function plot(results) {
  const bars = results.filter((r) => r.ratio_to_best_peer).map((r) => ({ name: r.case, ratio: r.unit === 'ms' ? 1 / r.ratio_to_best_peer : r.ratio_to_best_peer }));
  const widest = Math.max(1, ...bars.map((b) => b.ratio)), scale = 420 / widest, height = 40 + bars.length * 28;
  const rows = bars.map((b, i) => `  <text x="70" y="${46 + i * 28}" text-anchor="end">${b.name}</text>
  <rect x="80" y="${32 + i * 28}" width="${(b.ratio * scale).toFixed(1)}" height="18" fill="${b.ratio >= 1 ? '#2a78d6' : '#c2571a'}"/>
  <text x="${(86 + b.ratio * scale).toFixed(1)}" y="${46 + i * 28}">${b.ratio.toFixed(2)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="580" height="${height}" font-family="sans-serif" font-size="13">
  <rect width="580" height="${height}" fill="#ffffff"/>
  <text x="80" y="18">Sagabox against the best peer of each case (1 = equal, longer = better)</text>
${rows.join('\n')}
  <line x1="${(80 + scale).toFixed(1)}" y1="26" x2="${(80 + scale).toFixed(1)}" y2="${height - 4}" stroke="#333333" stroke-dasharray="3 3"/>
</svg>
`;
}
