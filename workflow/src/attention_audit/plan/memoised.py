"""Methods of the plan that are asked the same thing many times."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def memoised(method: Callable[Concatenate[Owner, Asked], Answer]) -> Callable[Concatenate[Owner, Asked], Answer]:
    """A method that works out each answer once. Its arguments have to be hashable, and are given by position.

    The answers lie in the object and go with it, where functools.cache would keep every object there ever was.
    """
    place = f"_answers_of_{method.__name__}"

    @wraps(method)
    def answered(self: Owner, /, *args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        answers: dict[Any, Answer] = self.__dict__.setdefault(place, {})
        if args not in answers:
            answers[args] = method(self, *args, **kwargs)
        return answers[args]

    return answered
