#!/bin/bash
# Many jobs of one GPU share the runs of an experiment; `sbatch` again resumes.
#
#     sbatch --array=1-8 experiments/slurm_matrix.sh table_2
#
# Each job takes the next run that no other has, by a lock on its file: the
# folder `runs` must lie on a disk that all nodes share and that knows locks.
# This file has not run on a cluster yet.
#SBATCH --job-name=preact-matrix
#SBATCH --ntasks=1
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=INT@120
#SBATCH --requeue
set -euo pipefail
srun python -m preact ablate "$@" --device cuda
