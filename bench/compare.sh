#!/bin/bash
# Interleaved rounds of Sagabox and peers, so that the machine's drift hits all alike; then medians and ratios.
# usage: compare.sh CASE [ROUNDS] [PEER...]     default: 3 rounds against pg-boss, graphile-worker and batched
cd "$(dirname "$0")"; . ./env.sh
kase=$1 rounds=${2:-3}; shift; shift || true
peers=("$@"); [ ${#peers[@]} -gt 0 ] || peers=(pg-boss graphile-worker batched)
out=${OUT:-$PB/log/compare-$kase-$$.jsonl}; : > "$out"
one() { # the settings that tune.sh found best for each
  case $1 in
  pg-boss)         CONC=100 BATCH=500 WORKERS=2 ./run.sh pg-boss "$kase" ;;
  graphile-worker) CONC=100 LOCALQ=500 BATCH_MS=0 ./run.sh graphile-worker "$kase" ;;
  batched)         CONC=100 BATCH=500 LANES=2 ./run.sh batched "$kase" ;;
  *)               ./run.sh "$1" "$kase" ;;
  esac
}
for ((i = 0; i < rounds; i++)); do
  for peer in sagabox "${peers[@]}"; do
    line=$(one "$peer" 2>>"$PB/log/compare.err" | grep '^{') || line="{\"peer\":\"$peer\",\"case\":\"$kase\",\"failed\":true}"
    echo "$line" | sed "s/^{/{\"label\":\"$peer\",\"load\":\"$(cut -d' ' -f1 /proc/loadavg)\",/" | tee -a "$out"
  done
done
exec $NODE ratios.mjs "$out"
