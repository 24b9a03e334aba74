"""Answers of the plan that are worked out once."""

import gc
import weakref

from planned import plan_of

from attention_audit.plan.memoised import memoised


class Counting:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    @memoised
    def half(self, number: int) -> float:
        """Half of a number."""
        self.times += 1
        return number / 2


def test_an_answer_is_worked_out_once_for_each_object() -> None:
    one, other = Counting(), Counting()
    assert [one.half(3), one.half(3), one.half(4), other.half(3)] == [1.5, 1.5, 2.0, 1.5]
    assert (one.times, other.times) == (2, 1)


def test_a_plan_that_nobody_holds_is_gone() -> None:
    plan = plan_of()
    plan.audit_files()
    gone = weakref.ref(plan.auditing)
    del plan
    gc.collect()
    assert gone() is None
