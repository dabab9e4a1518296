"""Answers to the exercises of a chapter: right ones, wrong ones."""


def weighed(gradients, counts):
    parts = [n * g for g, n in zip(gradients, counts, strict=True)]
    return sum(parts) / sum(counts)


def plain_mean(gradients, counts):
    return sum(gradients) / len(gradients)


def not_divided(gradients, counts):
    parts = [n * g for g, n in zip(gradients, counts, strict=True)]
    return sum(parts)


def within_and_between(means, variances):
    return means.mean(), variances.mean() + means.var()


def within(means, variances):
    return means.mean(), variances.mean()


def between(means, variances):
    return means.mean(), means.var()


ANSWERS = {
    "imagenet-1": ([within_and_between], [within, between]),
    "imagenet-2": ([1.826, 1.83], [0.774, 0.0333, 54.8]),
    "imagenet-3": ([0.379, 1.1 / 2.9], [0.2, 0.069, 37.9]),
    "imagenet-4": ([weighed], [plain_mean, not_divided]),
}
OWN_SENTENCES = {
    ("imagenet-1", within): "inside",
    ("imagenet-1", between): "between",
    ("imagenet-3", 0.069): "first",
    ("imagenet-4", plain_mean): "plain",
    ("imagenet-4", not_divided): "total",
}
