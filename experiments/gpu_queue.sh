#!/usr/bin/env bash
# As many missing runs of the paper's CIFAR-10 tables as fit into some minutes.
#
#     bash experiments/gpu_queue.sh MINUTES [EXPERIMENT ...]
#
# Several workers share one device; each takes the next run that has no record,
# nobody works on and still fits, then one that does not. What is not finished
# resumes next time.
# It exits with the highest status of its workers.
# Networks of 1001 layers want the device for themselves:
#     WORKERS=1 bash experiments/gpu_queue.sh 25 first_1001
#   OUT      folder of records and checkpoints      (runs)
#   CIFAR    folder of CIFAR-10's binary files      (data)
#   WORKERS  runs side by side                      (4)
#   PYTHON   the interpreter that has preact        (.venv/bin/python or python3)
#
# Where nothing can be installed, a folder packages/ beside README.md may bring what
# is missing; made elsewhere, for that machine's Python, by
#   pip install --no-deps --only-binary :all: --python-version 3.12 \
#     --target packages NAMES
# and PREACT_COMMIT names the commit if the history has not come along.
set -euo pipefail
if ! [[ "${1:-}" =~ ^[0-9]+([.][0-9]+)?$ ]]; then
  echo "usage: bash experiments/gpu_queue.sh MINUTES [EXPERIMENT ...]; got '${1:-}'" >&2
  exit 2
fi
minutes=$1; shift
workers=${WORKERS:-4}
if ! [[ "$workers" =~ ^[1-9][0-9]{0,2}$ ]]; then
  echo "WORKERS must be a whole number from 1 to 999; got '$workers'" >&2
  exit 2
fi
here="$(cd "$(dirname "$0")" && pwd)"
export PYTHONPATH="$here/../src:$here/../packages${PYTHONPATH:+:$PYTHONPATH}"
experiments=("$@")
[ ${#experiments[@]} -gt 0 ] || experiments=(table_2 table_1)
python=${PYTHON:-}
[ -n "$python" ] || { python="$here/../.venv/bin/python"; [ -x "$python" ] || python=python3; }
out=${OUT:-runs}
mkdir -p "$out"

pids=()
for worker in $(seq "$workers"); do
  "$python" -m preact ablate "${experiments[@]}" --minutes "$minutes" \
    --out "$out" --folder "${CIFAR:-data}" >"$out/worker-$worker.log" 2>&1 &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do
  wait "$pid" || { code=$?; status=$((code > status ? code : status)); }
done
for worker in $(seq "$workers"); do
  tail -n 2 "$out/worker-$worker.log"
done
echo "$(find "$out" -name 'seed-*.json' | wc -l) records in $out"
exit "$status"
