"""Layers in NumPy: values forward, hand-derived gradients backward.

Shapes are N C H W, kernels K x K, everything float64.
"""

from typing import Literal

import numpy as np
from jaxtyping import Float64, Int

from preact.plan import BatchNorm, Conv, Layer, Linear, ReLU
from preact.plan.checks import check_spread
from preact.plan.layers import BN_EPS, MaxPool, Pad
from preact.reference.caches import (
    Array,
    BNCache,
    ConvCache,
    LayerCache,
    LayerCaches,
    LinearCache,
    Mask,
    PadCache,
    PoolCache,
)

Images = Float64[np.ndarray, "N C H W"]
Params = dict[str, Array]
Mode = Literal["train", "eval"]


# ------------------------------------------------------------ convolution
def conv_forward(
    x: Float64[np.ndarray, "N C H W"],
    weight: Float64[np.ndarray, "D C K K"],
    bias: Float64[np.ndarray, " D"] | None = None,
    stride: int = 1,
) -> tuple[Float64[np.ndarray, "N D P Q"], ConvCache]:
    """Cross-correlation with zero padding K // 2.

    out[n, d, p, q] = bias[d]
        + sum over c, i, j of weight[d, c, i, j] x[n, c, p s + i, q s + j],

    x padded, s the stride: one matrix product over channels for each of the
    K * K offsets of the kernel.
    """
    K = weight.shape[-1]
    P, Q = -(-x.shape[2] // stride), -(-x.shape[3] // stride)
    margin = ((0, 0), (0, 0), (K // 2,) * 2, (K // 2,) * 2)
    padded = np.pad(x, margin) if K > 1 else x
    out = np.zeros((x.shape[0], weight.shape[0], P, Q))
    for i in range(K):
        for j in range(K):
            seen = _window(padded, i, j, P, Q, stride)
            out += _over_channels(seen, weight[:, :, i, j].T)
    if bias is not None:
        out += bias[:, None, None]
    return out, ConvCache(x.shape, padded, weight, bias is not None, stride)


def conv_backward(
    dout: Float64[np.ndarray, "N D P Q"], cache: ConvCache
) -> tuple[Images, Array, Array | None]:
    """Gradients of `conv_forward`: (dx, dweight, dbias).

    Each offset (i, j) sent x[p s + i, q s + j] to out[p, q]; backward, dout
    returns along the same way: to the weight through x, to x through the
    weight.
    """
    shape, padded, weight, has_bias, stride = cache
    K, (P, Q) = weight.shape[-1], dout.shape[2:]
    dpadded, dweight = np.zeros_like(padded), np.empty_like(weight)
    for i in range(K):
        for j in range(K):
            seen = _window(padded, i, j, P, Q, stride)
            pixels = (0, 2, 3)
            dweight[:, :, i, j] = np.tensordot(dout, seen, (pixels, pixels))
            dseen = _over_channels(dout, weight[:, :, i, j])
            _window(dpadded, i, j, P, Q, stride)[...] += dseen
    top = K // 2
    dx = dpadded[:, :, top : top + shape[2], top : top + shape[3]]
    return dx, dweight, dout.sum((0, 2, 3)) if has_bias else None


def _over_channels(x: Array, matrix: Array) -> Array:
    """Multiply the channels of each pixel, (N C P Q), by a matrix (C, D)."""
    return np.moveaxis(np.tensordot(x, matrix, (1, 0)), -1, 1)


def _window(
    padded: Array, i: int, j: int, P: int, Q: int, stride: int
) -> Array:
    """View of the values that kernel offset (i, j) sees, a P x Q grid."""
    rows = slice(i, i + stride * (P - 1) + 1, stride)
    columns = slice(j, j + stride * (Q - 1) + 1, stride)
    return padded[:, :, rows, columns]


# ---------------------------------------------------- batch normalization
def bn_forward(
    x: Images,
    gamma: Float64[np.ndarray, " C"],
    beta: Float64[np.ndarray, " C"],
    running: tuple[Array, Array] | None = None,
) -> tuple[Images, BNCache]:
    """Batch normalization: y = gamma x_hat + beta, per channel.

    x_hat = (x - mean) / sqrt(var + eps). In training (`running` None) mean
    and the biased variance are taken over (N, H, W); in evaluation they are
    the running ones.

    Raises
    ------
    ValueError
        If N * H * W < 2 in training: one value has no spread.

    References
    ----------
    Ioffe and Szegedy 2015, Sec. 3. Chapter `04-units`, Eq. (4.1).
    """
    if running is None:
        check_spread(x.shape)
    mean = x.mean((0, 2, 3)) if running is None else running[0]
    centered = x - _per_channel(mean)
    var = (centered**2).mean((0, 2, 3)) if running is None else running[1]
    sigma = np.sqrt(var + BN_EPS)
    x_hat = centered / _per_channel(sigma)
    out = _per_channel(gamma) * x_hat + _per_channel(beta)
    return out, BNCache(x_hat, gamma, sigma, mean, var, running is None)


def bn_backward(
    dout: Images, cache: BNCache
) -> tuple[Images, Float64[np.ndarray, " C"], Float64[np.ndarray, " C"]]:
    """Gradients of `bn_forward`: (dx, dgamma, dbeta).

    In training, with means over (N, H, W),

    dx = gamma / sigma (dout - mean(dout) - x_hat mean(dout x_hat)):

    of dout, what is constant in the batch and what is parallel to x_hat
    cannot reach x, because x_hat has mean 0 and variance 1 whatever x is. In
    evaluation nothing is taken away.

    References
    ----------
    Ioffe and Szegedy 2015, Sec. 3. Chapter `04-units`, Eq. (4.2).
    """
    x_hat, gamma, sigma, _, _, training = cache
    dgamma, dbeta = (dout * x_hat).sum((0, 2, 3)), dout.sum((0, 2, 3))
    reaches = dout
    if training:
        count = dout.size / dout.shape[1]
        reaches = (
            dout - (_per_channel(dbeta) + x_hat * _per_channel(dgamma)) / count
        )
    return _per_channel(gamma / sigma) * reaches, dgamma, dbeta


def _per_channel(v: Array) -> Array:
    """Shape (C,) to (C, 1, 1), which broadcasts against N C H W."""
    return v[:, None, None]


# ------------------------------------------------------- the small layers
def relu_forward(x: Images) -> tuple[Images, Mask]:
    """max(x, 0)."""
    return np.maximum(x, 0.0), x > 0


def relu_backward(dout: Images, mask: Mask) -> Images:
    """Gradient of `relu_forward`: dout where x > 0, else 0."""
    return np.where(mask, dout, 0.0)


def pad_forward(
    x: Images, c_out: int, stride: int
) -> tuple[Float64[np.ndarray, "N D P Q"], PadCache]:
    """Subsample by the stride and append zero channels (v1, option A)."""
    seen = x[:, :, ::stride, ::stride]
    out = np.pad(seen, ((0, 0), (0, c_out - x.shape[1]), (0, 0), (0, 0)))
    return out, PadCache(x.shape, stride)


def pad_backward(
    dout: Float64[np.ndarray, "N D P Q"], cache: PadCache
) -> Images:
    """Gradient of `pad_forward`: the kept places get dout, others 0."""
    shape, stride = cache
    dx = np.zeros(shape)
    dx[:, :, ::stride, ::stride] = dout[:, : shape[1]]
    return dx


def maxpool_forward(
    x: Images,
) -> tuple[Float64[np.ndarray, "N C P Q"], PoolCache]:
    """3x3 maximum, stride 2, padding 1."""
    P, Q = (x.shape[2] + 1) // 2, (x.shape[3] + 1) // 2
    edges = ((0, 0), (0, 0), (1, 1), (1, 1))
    padded = np.pad(x, edges, constant_values=-np.inf)
    windows = np.stack(
        [_window(padded, i, j, P, Q, 2) for i in range(3) for j in range(3)]
    )
    return windows.max(0), PoolCache(x.shape, windows.argmax(0))


def maxpool_backward(
    dout: Float64[np.ndarray, "N C P Q"], cache: PoolCache
) -> Images:
    """Gradient of `maxpool_forward`: dout goes to the (first) maximum."""
    (N, C, H, W), winner = cache
    dpadded = np.zeros((N, C, H + 2, W + 2))
    P, Q = dout.shape[2:]
    for k in range(9):
        window = _window(dpadded, k // 3, k % 3, P, Q, 2)
        window += np.where(winner == k, dout, 0.0)
    return dpadded[:, :, 1:-1, 1:-1]


def linear_forward(
    x: Float64[np.ndarray, "N C"],
    weight: Float64[np.ndarray, "D C"],
    bias: Float64[np.ndarray, " D"],
) -> tuple[Float64[np.ndarray, "N D"], LinearCache]:
    """X W^T + b: the classifier."""
    return x @ weight.T + bias, LinearCache(x, weight)


def linear_backward(
    dout: Float64[np.ndarray, "N D"], cache: LinearCache
) -> tuple[Float64[np.ndarray, "N C"], Array, Array]:
    """Gradients of `linear_forward`: (dx, dweight, dbias)."""
    x, weight = cache
    return dout @ weight, dout.T @ x, dout.sum(0)


def cross_entropy(
    logits: Float64[np.ndarray, "N D"], labels: Int[np.ndarray, " N"]
) -> tuple[float, Float64[np.ndarray, "N D"]]:
    """Mean cross-entropy in nats, and its gradient (softmax - onehot) / N."""
    shifted = logits - logits.max(1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    right = (np.arange(len(labels)), labels)
    dlogits = np.exp(log_p)
    dlogits[right] -= 1.0
    return -float(log_p[right].mean()), dlogits / len(labels)


def sigmoid(z: Array) -> Array:
    """1 / (1 + exp(-z)), without overflow for large |z|."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * z)))


# -------------------------------------------------- a sequence of layers
def forward(
    layers: tuple[Layer, ...], params: Params, x: Array, mode: Mode = "train"
) -> tuple[Array, LayerCaches]:
    """Apply planned layers in order; parameters are found by layer name."""
    caches: LayerCaches = []
    for layer in layers:
        x, cache = _layer_forward(layer, params, x, mode)
        caches.append((layer, cache))
    return x, caches


def backward(dout: Array, caches: LayerCaches) -> tuple[Array, Params]:
    """Gradient of `forward`: (dx, gradients by parameter name)."""
    grads: Params = {}
    for layer, cache in reversed(caches):
        dout, own = _layer_backward(dout, cache)
        grads |= {f"{layer.name}.{key}": value for key, value in own.items()}
    return dout, grads


def _layer_forward(
    layer: Layer, params: Params, x: Array, mode: Mode
) -> tuple[Array, LayerCache]:
    """Apply one planned layer."""
    match layer:
        case Conv():
            weight = _own(params, layer, "weight")
            bias = params.get(f"{layer.name}.bias")
            return conv_forward(x, weight, bias, layer.stride)
        case BatchNorm():
            gamma, beta = (_own(params, layer, k) for k in ("weight", "bias"))
            running = None
            if mode == "eval":
                mean = _own(params, layer, "running_mean")
                running = mean, _own(params, layer, "running_var")
            return bn_forward(x, gamma, beta, running)
        case ReLU():
            return relu_forward(x)
        case Pad():
            return pad_forward(x, layer.c_out, layer.stride)
        case MaxPool():
            return maxpool_forward(x)
        case Linear():
            weight, bias = (_own(params, layer, k) for k in ("weight", "bias"))
            return linear_forward(x, weight, bias)


def _own(params: Params, layer: Layer, key: str) -> Array:
    """Return one of a layer's parameters."""
    return params[f"{layer.name}.{key}"]


def _layer_backward(dout: Array, cache: LayerCache) -> tuple[Array, Params]:
    """Gradient of one planned layer: (dx, its own parameters' gradients)."""
    match cache:
        case ConvCache():
            dx, dweight, dbias = conv_backward(dout, cache)
            own = {"weight": dweight}
            return dx, own if dbias is None else {**own, "bias": dbias}
        case BNCache():
            dx, dgamma, dbeta = bn_backward(dout, cache)
            return dx, {"weight": dgamma, "bias": dbeta}
        case PadCache():
            return pad_backward(dout, cache), {}
        case PoolCache():
            return maxpool_backward(dout, cache), {}
        case LinearCache():
            dx, dweight, dbias = linear_backward(dout, cache)
            return dx, {"weight": dweight, "bias": dbias}
        case _:
            return relu_backward(dout, cache), {}
