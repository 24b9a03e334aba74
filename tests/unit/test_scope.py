"""What a run is about: what is worked out once goes with the plan."""

import gc
import weakref

from planned import plan_of


def test_a_suite_of_a_data_set_is_one_object() -> None:
    scope = plan_of(datasets=["needle"], overrides={"needle": {"training": {"epochs": 3}}}).scope
    suite = scope.suite("wp")
    assert scope.for_dataset(suite, "needle") is scope.for_dataset(suite, "needle") is not suite


def test_a_plan_that_nobody_holds_is_gone() -> None:
    plan = plan_of()
    plan.audit_files()
    gone = weakref.ref(plan.auditing)
    del plan
    gc.collect()
    assert gone() is None
