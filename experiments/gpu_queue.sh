#!/usr/bin/env bash
# As many missing runs of the paper's CIFAR-10 tables as fit into some minutes.
#
#     bash experiments/gpu_queue.sh MINUTES [EXPERIMENT ...]
#
# Several workers share one device; each takes the next run that has no record,
# nobody works on and still fits, then one that does not. What is not finished
# resumes next time.
# Networks of 1001 layers want the device for themselves:
#     WORKERS=1 bash experiments/gpu_queue.sh 25 short_1001
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
here="$(cd "$(dirname "$0")" && pwd)"
export PYTHONPATH="$here/../src:$here/../packages${PYTHONPATH:+:$PYTHONPATH}"
experiments=("$@")
[ ${#experiments[@]} -gt 0 ] || experiments=(table_2 table_1)
python=${PYTHON:-}
[ -n "$python" ] || { python="$here/../.venv/bin/python"; [ -x "$python" ] || python=python3; }
out=${OUT:-runs}
mkdir -p "$out"

for worker in $(seq "${WORKERS:-4}"); do
  "$python" -m preact ablate "${experiments[@]}" --minutes "$minutes" \
    --out "$out" --folder "${CIFAR:-data}" >"$out/worker-$worker.log" 2>&1 &
done
wait || true
tail -qn 2 "$out"/worker-*.log
echo "$(find "$out" -name 'seed-*.json' | wc -l) records in $out"
