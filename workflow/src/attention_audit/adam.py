"""Adam without the import of PyTorch's compiler."""

import inspect
from typing import Any

import torch


class Adam(torch.optim.Adam):
    """`torch.optim.Adam`, step for step.

    PyTorch wraps the methods of its optimisers for torch.compile, and their first call imports torch._dynamo: two
    seconds in which nothing is trained. Nothing is compiled here, so the methods are called without their wrappers.
    """

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """As in `torch.optim.Optimizer`."""
        inspect.unwrap(torch.optim.Adam.add_param_group)(self, param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """As in `torch.optim.Optimizer`."""
        inspect.unwrap(torch.optim.Adam.zero_grad)(self, set_to_none)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """As in `torch.optim.Adam`."""
        return inspect.unwrap(torch.optim.Adam.step)(self, closure)
