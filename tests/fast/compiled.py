"""Compile the GPU's kernels without a GPU; print what each one needs.

    python compiled.py 90

One JSON list: name, bytes of shared memory, bytes spilled. A process of its
own: Triton decides at its import whether it compiles or interprets.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from preact.fast import NetworkView
from preact.fast.gpu.launch import Launcher
from preact.fast.gpu.run import run_fused
from preact.nn import Network
from preact.plan import cifar_plan

PTXAS = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
TYPES = {torch.float16: "*fp16", torch.float32: "*fp32"}


def launches(convs):
    """What a training step would launch: kernel, arguments, options."""
    found = {}

    def note(launcher, kernel, how, *args, deep=1, **shape):
        shape |= {"SPAN": 1024, "BLOCK": how.block}
        if "PRECISION" in shape:
            shape["PRECISION"] = "tf32"
        key = kernel.__name__, how, *sorted(shape.items())
        found[key] = kernel, args, shape, how

    Launcher._run = note
    depth = 20 + 9 * (convs == 3)
    plan = cifar_plan("full-preactivation", depth=depth, convs=convs)
    network = NetworkView(Network(plan), run_fused, "recompute")
    x = torch.randn(2, *plan.image)
    with torch.autocast("cpu", torch.float16):
        network(x).sum().backward()
    return found.values()


def compiled(kernel, args, shape, how, arch):
    """What the assembler tells of a kernel."""
    signature, constants, attributes = {}, {}, {}
    for i, name in enumerate(kernel.arg_names):
        value = shape[name] if name in shape else args[i]
        if name in shape or value is None:
            signature[name], constants[(i,)] = "constexpr", value
        elif isinstance(value, torch.Tensor):
            signature[name] = TYPES[value.dtype]
            attributes[(i,)] = [["tt.divisibility", 16]]
        else:
            signature[name] = "i32"
    source = ASTSource(kernel, signature, constants, attributes)
    made = triton.compile(
        source,
        target=GPUTarget("cuda", arch, 32),
        options={"num_warps": how.warps, "num_stages": how.stages},
    )
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "kernel.ptx"
        ptx.write_text(made.asm["ptx"])
        target = re.search(r"\.target (\S+?),?\s", made.asm["ptx"])[1]
        told = subprocess.run(
            [PTXAS, "-v", f"-arch={target}", ptx, "-o", "/dev/null"],
            capture_output=True,
            text=True,
            check=True,
        ).stderr
    return {
        "kernel": kernel.__name__,
        "shared": made.metadata.shared,
        "spilled": int(re.search(r"(\d+) bytes spill stores", told)[1]),
    }


if __name__ == "__main__":
    arch = int(sys.argv[1])
    told = [compiled(*one, arch) for n in (3, 2) for one in launches(n)]
    print(json.dumps(told))
