"""What a run is about: what is worked out once goes with the plan."""

import gc
import weakref

from planned import plan_of


def test_a_plan_that_nobody_holds_is_gone():
    plan = plan_of()
    assert [*plan.list_wildcards()]
    gone = weakref.ref(plan.asked)
    del plan
    gc.collect()
    assert gone() is None
