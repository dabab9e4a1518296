"""The recorded training of a narrow ResNet-50, before and after.

Chapter `09-imagenet`.
"""

import numpy as np

from preact.records.compare import load_records
from preact.reference.caches import Array


def fifty() -> dict[str, Array]:
    """Test errors of the narrow ResNet-50 on digits, in percent.

    Returns
    -------
    dict
        Row to (2, seeds): without and with a BN before the classifier.
    """
    runs: dict[str, tuple[list[float], list[float]]] = {}
    for run in load_records("digits_resnet_50"):
        heads = runs.setdefault(run.row, ([], []))
        heads["BN" in run.tail].append(run.test_error_pct)
    return {row: np.array(heads) for row, heads in runs.items()}
