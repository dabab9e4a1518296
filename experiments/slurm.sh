#!/bin/bash
# Two nodes of four GPUs share one run. `sbatch` again resumes it, and Slurm
# does so itself when it needed the nodes for somebody else.
#
#     sbatch experiments/slurm.sh --depth 1001 --data cifar10
#
# The batch of the protocol is divided by all processes; batch normalization
# takes its statistics over the share of each, and the record says so.
#SBATCH --job-name=preact
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --signal=INT@120
#SBATCH --requeue
set -euo pipefail
# sed reads to the end; at a pipe that is closed early, scontrol would fail
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
srun torchrun --nnodes "$SLURM_NNODES" --nproc-per-node 4 \
  --rdzv-backend c10d --rdzv-endpoint "$head:29500" \
  -m preact train --channels-last --precision tf32 "$@"
