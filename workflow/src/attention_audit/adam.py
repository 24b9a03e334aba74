"""Adam without the import of PyTorch's compiler."""

import inspect

import torch


class Adam(torch.optim.Adam):
    """`torch.optim.Adam`, step for step.

    PyTorch wraps the methods of its optimisers for torch.compile, and their first call imports torch._dynamo: two
    seconds in which nothing is trained. Nothing is compiled here, so the methods are called without their wrappers.
    """

    add_param_group = inspect.unwrap(torch.optim.Adam.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Adam.zero_grad)
    step = torch.no_grad()(inspect.unwrap(torch.optim.Adam.step))
