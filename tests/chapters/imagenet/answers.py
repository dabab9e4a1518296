"""Answers to the exercises of a chapter: right ones, wrong ones."""


def weighed(gradients, counts):
    parts = [n * g for g, n in zip(gradients, counts, strict=True)]
    return sum(parts) / sum(counts)


def plain_mean(gradients, counts):
    return sum(gradients) / len(gradients)


def not_divided(gradients, counts):
    parts = [n * g for g, n in zip(gradients, counts, strict=True)]
    return sum(parts)


def weighed_backward(gradients, counts):
    return weighed(gradients, counts[::-1])


def around_twice(n_bytes, count, bandwidth, latency):
    pieces = n_bytes / bandwidth * (count - 1) / count
    return 2 * (count - 1) * latency + 2 * pieces


def around_once(n_bytes, count, bandwidth, latency):
    return around_twice(n_bytes, count, bandwidth, latency) / 2


def everything_each_time(n_bytes, count, bandwidth, latency):
    return 2 * (count - 1) * (latency + n_bytes / bandwidth)


def one_latency(n_bytes, count, bandwidth, latency):
    return latency + 2 * (count - 1) / count * n_bytes / bandwidth


ANSWERS = {
    "imagenet-1": ([4_481_024, 4481024.0], [4_456_448, 280_064, 64.7]),
    "imagenet-2": ([1.826, 1.83], [0.774, 0.0333, 54.8]),
    "imagenet-3": ([0.379, 1.1 / 2.9], [0.2, 0.069, 37.9]),
    "imagenet-4": ([weighed], [plain_mean, not_divided, weighed_backward]),
    "imagenet-5": (
        [around_twice],
        [around_once, everything_each_time, one_latency],
    ),
    "imagenet-6": ([0.9711, 0.97], [0.0971, 9.7, 1.42]),
}
OWN_SENTENCES = {
    ("imagenet-3", 0.069): "first",
    ("imagenet-4", plain_mean): "plain",
    ("imagenet-4", not_divided): "total",
    ("imagenet-5", around_once): "once",
    ("imagenet-5", everything_each_time): "all_bytes",
}
