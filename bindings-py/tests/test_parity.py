"""The same bytes as the core itself, for every shared case at every policy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from shared import POLICIES, cases

OUTCOMES = os.environ.get("TOOLMEND_OUTCOMES")


@pytest.mark.skipif(not OUTCOMES, reason="TOOLMEND_OUTCOMES names no file of the core's outcomes")
def test_every_outcome_is_the_cores() -> None:
    lines = Path(OUTCOMES or "").read_text(encoding="utf-8").strip("\n").split("\n")
    told = [json.loads(line) for line in lines]
    core = {(line["case"], line["policy"]): line["outcome"] for line in told}
    own = {
        (case.name, policy): case.compile(policy).repair(case.input).to_json()
        for case in cases()
        for policy in POLICIES
    }
    assert own.keys() == core.keys()
    assert {key for key, outcome in own.items() if outcome != core[key]} == set()
