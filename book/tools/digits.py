"""The handwritten digits for the page: a script of less than 80 kB.

    python -m book.tools.digits > book/scripts/engine/digits.js

writes it anew: one byte a pixel, the labels behind them, deflated.
"""

import base64
import json
import zlib

from preact.data import read_digits


def digits_script() -> str:
    """Return the text of `digits.js`, which the page's engine unpacks."""
    data = read_digits()
    parts = (
        data.train_images,
        data.test_images,
        data.train_labels,
        data.test_labels,
    )
    plain = b"".join(bytes(part.flatten().tolist()) for part in parts)
    packed = {
        "count": len(data.train_labels) + len(data.test_labels),
        "train": len(data.train_labels),
        "pixels": data.train_images[0].numel(),
        "packed": base64.b64encode(zlib.compress(plain, 9)).decode(),
    }
    return (
        "// scikit-learn's digits; "
        "python -m book.tools.digits writes them.\n"
        f"export const digits = {json.dumps(packed)};\n"
    )


if __name__ == "__main__":
    print(digits_script(), end="")
