"""GitHub rejects a whole workflow for a wrong name in it, and publishes after a job only if it waits for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = sorted((Path(__file__).parents[2] / ".github" / "workflows").glob("*.yml"))


def jobs(workflow: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    return found


def awaited_by(name: str, among: dict[str, Any]) -> set[str]:
    """Return all jobs that must succeed before the job *name* starts. Raises ``KeyError`` for one that is not there."""
    needs = among[name].get("needs", [])
    direct = {needs} if isinstance(needs, str) else set(needs)
    return direct.union(*(awaited_by(each, among) for each in direct))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.stem)
def test_each_job_waits_for_jobs_of_its_workflow(workflow: Path) -> None:
    for name in jobs(workflow):
        awaited_by(name, jobs(workflow))


@pytest.mark.parametrize("name", ["release", "pages"])
def test_nothing_is_published_before_all_tests_have_passed(name: str) -> None:
    [workflow] = [file for file in WORKFLOWS if file.stem == name]
    among = jobs(workflow)
    publishing = {job for job, content in among.items() if "environment" in content}
    assert publishing
    for job in publishing:
        later = {other for other in among if job in awaited_by(other, among)}
        assert awaited_by(job, among) == among.keys() - later - {job}
