"""Residual units in Triton kernels: what the GPU runs.

Chapter `08-training`.
"""
