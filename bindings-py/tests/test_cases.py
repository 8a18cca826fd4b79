"""Every shared case at every policy: values, repairs, codes and paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shared import POLICIES, Case, cases, exact

if TYPE_CHECKING:
    import toolmend

CASES = cases()


def test_there_are_cases() -> None:
    assert len(CASES) > 200


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, policy: toolmend.PolicyName) -> None:
    outcome = case.compile(policy).repair(case.input)
    if "value" in case.expect:
        accepted(case, policy, outcome)
    else:
        refused(case, policy, outcome)


def accepted(case: Case, policy: toolmend.PolicyName, outcome: toolmend.Outcome) -> None:
    repairs = case.expect["repairs"]
    narrower = POLICIES.index(policy) < POLICIES.index(case.expect["from"])
    if not repairs:
        assert outcome.status == "unchanged", outcome.issues
        assert exact(outcome.json) == exact(case.expect["value"])
    elif narrower and set(repairs) == {"canonical_integer"}:
        # A number's spelling is no matter of validity.
        assert outcome.status == "unchanged", outcome.issues
    elif narrower:
        assert outcome.status == "refused", outcome.json
        assert outcome.issues
    else:
        assert outcome.status == "repaired", outcome.issues
        assert exact(outcome.json) == exact(case.expect["value"])
        assert sorted(repair.rule for repair in outcome.repairs) == sorted(repairs)


def refused(case: Case, policy: toolmend.PolicyName, outcome: toolmend.Outcome) -> None:
    assert outcome.status == "refused", outcome.json
    assert (outcome.value, outcome.json, outcome.repairs) == (None, None, ())
    assert outcome.feedback()
    if policy == "lenient":
        codes = {issue.code for issue in outcome.issues}
        assert codes == set(case.expect["codes"])
        assert set(case.expect["paths"]) <= {issue.path for issue in outcome.issues}
