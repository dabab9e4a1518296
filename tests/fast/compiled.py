"""Compile the GPU's kernels without a GPU; print what each one needs.

    python compiled.py 90 float16

One JSON list: name, channels, taps, registers of a thread, bytes of shared
memory, bytes spilled. A process of its own: Triton decides at its import
whether it compiles or interprets.
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
from preact.spec import TABLE_2

PTXAS = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
TYPES = {
    torch.float16: "*fp16",
    torch.bfloat16: "*bf16",
    torch.float32: "*fp32",
    torch.int32: "*i32",
}
# Processors of an H100; a batch of 128 images in two ghost batches.
PROCESSORS, BATCH, GHOSTS = 132, 128, 2


def launches(convs, dtype):
    """What a training step would launch: kernel, arguments, options."""
    found = {}

    def note(launcher, kernel, how, *args, deep=1, **shape):
        rows = BATCH // GHOSTS * launcher.height * launcher.width
        share = triton.cdiv(rows, 2 * PROCESSORS // GHOSTS)
        span = max(64, triton.next_power_of_2(share))
        shape |= {"SPAN": span, "BLOCK": how.block, "PRECISION": "tf32"}
        key = kernel.__name__, how, *sorted(shape.items())
        found[key] = kernel, args, shape, how.warps

    Launcher._run = note
    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=20 + 9 * (convs == 3), convs=convs
    )
    network = NetworkView(Network(plan), run_fused, "recompute")
    x = torch.randn(2, *plan.image).contiguous(
        memory_format=torch.channels_last
    )
    with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
        network(x).sum().backward()
    return found.values()


def compiled(kernel, args, shape, warps, arch):
    """Registers and spills, as the assembler tells them."""
    signature, constants, attributes = {}, {}, {}
    for i, (name, value) in enumerate(
        zip(kernel.arg_names, args, strict=False)
    ):
        if value is None:
            signature[name] = "constexpr"
            constants[(i,)] = None
        elif isinstance(value, torch.Tensor):
            signature[name] = TYPES[value.dtype]
            attributes[(i,)] = [["tt.divisibility", 16]]
        else:
            signature[name] = "i32"
            if value % 16 == 0:
                attributes[(i,)] = [["tt.divisibility", 16]]
    for i, name in enumerate(kernel.arg_names):
        if name in shape:
            signature[name] = "constexpr"
            constants[(i,)] = shape[name]
    source = ASTSource(kernel, signature, constants, attributes)
    made = triton.compile(
        source,
        target=GPUTarget("cuda", arch, 32),
        options={"num_warps": warps},
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
        "channels": [shape["C_IN"], shape["C_OUT"]],
        "taps": shape.get("TAPS"),
        "behind": shape.get("BEHIND"),
        "registers": int(re.search(r"Used (\d+) registers", told)[1]),
        "shared": made.metadata.shared,
        "spilled": int(re.search(r"(\d+) bytes spill stores", told)[1]),
        "warps": warps,
    }


if __name__ == "__main__":
    arch = int(sys.argv[1])
    told = [
        compiled(*launch, arch)
        for convs in (3, 2)
        for launch in launches(convs, getattr(torch, sys.argv[2]))
    ]
    print(json.dumps(told))
