"""Ours beside the peers: the same network, the same step, by turns, on a CPU.

Chapter `09-training`.
"""
