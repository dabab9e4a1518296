"""Chapter 07's pictures and explorers show what was recorded, all of it."""

import numpy as np
import pytest

from preact.book.depth import (
    POINTS,
    errors_at_rates,
    last_relu_table,
    recorded_arms,
    recorded_runs,
    table_3,
)


def test_a_curve_ends_where_the_record_does():
    course = recorded_arms(1001)["original"].moments[100]
    runs = recorded_runs(1001)["original"]
    profiles = [p for run in runs for p in run.profiles if p.iteration == 100]
    assert course.signal.shape == (3, POINTS)
    assert course.signal[1, -1] == np.median(
        [p.signal_rms[-1] for p in profiles]
    )
    first = [p.gradient_norm[0] / p.gradient_norm[-1] for p in profiles]
    assert course.gradient[:, 0] == pytest.approx(
        [min(first), np.median(first), max(first)]
    )


def test_table_3_has_the_papers_gains_and_ours():
    gains = {tuple(line[:2]): line[-1] for line in table_3().body}
    assert len(gains) == 9
    assert gains["CIFAR-10", "ResNet-1001"] == "2.69"
    assert gains["CIFAR-100", "ResNet-164"] == "0.83"
    assert gains["our digits", "ResNet-110"] == "65.4"


def test_the_last_relu_alone_is_what_two_medians_differ_in():
    body = {tuple(line[:2]): line[2:] for line in last_relu_table().body}
    assert body["digits, 110 layers", "without"][0] == "66.1 → 90.3"
    assert body["digits, 164 layers", "with"][2] == "19.0 → 5.6"
    assert body["16×16 images, 110 layers", "with"][2] == "–"


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("digits_110", ["3.1 (2.8–4.2)", "3.9 (3.3–4.7)", "5.0 (4.2–8.6)"]),
        ("digits_164", ["6.1, 10.8", "7.2, 11.9", "17.8, 20.3"]),
        ("images_110", ["35.2, 38.8, 39.3", "42.2, 43.8"]),
    ],
)
def test_a_table_of_rates_has_all_runs_or_their_range(name, errors):
    body = {line[0]: line[1:] for line in errors_at_rates(name).body}
    assert len(body) == 6
    assert body["original + final BN"] == errors
