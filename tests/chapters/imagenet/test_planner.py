"""The cost planner: the page's arithmetic is the package's."""

import pytest

from engine.calls import call, needs_node
from preact.book.imagenet import (
    page_jobs,
    page_machines,
    planner,
)


def bill(name, machine, link, count, images, width):
    """The bill of the package."""
    job = planner.jobs()[name]
    work = planner.step_seconds(job.plan, machine, images, width)
    talk = planner.all_reduce_seconds(
        4 * job.plan.parameters, count, link["bandwidth"], link["latency_s"]
    )
    kept = planner.kept_bytes(job.plan, width)
    return {
        "work": work,
        "talk": talk,
        "kept": kept,
        "needed": 12 * job.plan.parameters + kept * images,
        "speed": count * images / (work + talk),
        "hours": job.images / count / images * (work + talk) / 3600,
    }


@needs_node
def test_the_page_and_the_package_send_the_same_bill():
    links, sheets = planner.catalog()["link"], page_machines()
    asked, wanted = [], []
    for k, job in enumerate(page_jobs()):
        sheet, link = sheets[k % len(sheets)], links[k % len(links)]
        count, images, width = (1, 8, 100)[k % 3], 4 * (k + 1), (4, 2)[k % 2]
        choice = {"count": count, "images": images, "width": width}
        asked.append([job, sheet, link, choice])
        machine = planner.machine(sheet["name"], half=width == 2)
        wanted.append(bill(job["name"], machine, link, count, images, width))
    bills = call("imagenet.plan", asked)
    for got, own in zip(bills, wanted, strict=True):
        assert got == pytest.approx(own, rel=1e-9)
