"""Units in Triton kernels for NVIDIA's GPUs, from Ampere on.

They have never run on a GPU, nobody has timed them, and `fast` does not use
them. They need Triton 3.3 or newer, channels-last weights of a power of two
channels, and half precision or TF32 to be of any use; what they do not
compute, such as evaluation, runs by PyTorch. The nightly tests interpret them
on a CPU against float64 and compile them for two generations of GPUs.

>>> from preact.fast import NetworkView
>>> from preact.fast.gpu.run import run_fused  # doctest: +SKIP
>>> view = NetworkView(network, run_fused, "keep")  # doctest: +SKIP

Chapter `09-training`.
"""
