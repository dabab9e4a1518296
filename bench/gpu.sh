#!/usr/bin/env bash
# Training steps of ResNet-164 and 1001 beside other packages, on one GPU.
#
#     bash bench/gpu.sh
#
# Needs no network: the peers must be installed (requirements-peers.txt). Prints
# the tables and writes a record of each to OUT.
#   OUT      folder of the records              (bench); those that
#            are to be published go to src/preact/results/bench, then `make report`
#   PYTHON   the interpreter that has preact    (.venv/bin/python or python3)
#   DEVICE, DEPTHS, BATCH, ROUNDS               (cuda, "164 1001", 128, 10)
#
# Where nothing can be installed, a folder packages/ beside README.md may bring what
# is missing; made elsewhere, for that machine's Python, by
#   pip install --no-deps --only-binary :all: --python-version 3.12 \
#     --target packages NAMES
# and PREACT_COMMIT names the commit if the history has not come along.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
export PYTHONPATH="$here/src:$here/packages${PYTHONPATH:+:$PYTHONPATH}"
python=${PYTHON:-}
[ -n "$python" ] || { python="$here/.venv/bin/python"; [ -x "$python" ] || python=python3; }
out=${OUT:-bench}
mkdir -p "$out"
device=${DEVICE:-cuda}
name=${device/cuda/gpu}
for depth in ${DEPTHS:-164 1001}; do
  COLUMNS=110 "$python" -m preact bench --device "$device" --depth "$depth" \
    --batch "${BATCH:-128}" --rounds "${ROUNDS:-10}" --record "$out/$name-$depth.json"
done
