"""A GPU that is pretended: tensors on the processor that are called CUDA's, and what a real one would say of them.

What is moved or made there is marked, and so is all that is computed of it. A real GPU refuses an operation on tensors
of both kinds (`mixed`) and an array of its own memory (`forbidden`); and it waits where a number is read (`waits`).
dtypes and missing kernels are not pretended, and of memory the free bytes alone.
"""

import traceback
import weakref
from collections import Counter
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

CUDA, CPU = torch.device("cuda"), torch.device("cpu")
READS = {"tolist", "item", "__int__", "__bool__", "__float__", "__index__", "nonzero"}
FREE_BYTES = 1 << 33
INDEXED = {"__getitem__", "__setitem__", "__get__", "__set__", "copy_", "index"}
"""What takes an index, a number or a source from the processor."""


def list_tensors(value):
    """List the tensors in nested arguments."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        return list_tensors([*value.values()])
    return [tensor for each in value for tensor in list_tensors(each)] if isinstance(value, list | tuple) else []


def find_line():
    """Find the innermost line of the package that is running."""
    frames = [frame for frame in traceback.extract_stack() if "/attention_audit/" in frame.filename]
    return f"{frames[-1].filename.rpartition('/attention_audit/')[2]} {frames[-1].name}" if frames else "elsewhere"


class PretendedGpu(TorchFunctionMode):
    """What is marked as on the GPU, and counts of what went wrong or waited, by function of the package."""

    def __init__(self):
        super().__init__()
        self.mixed, self.forbidden, self.waits, self._marked = Counter(), Counter(), Counter(), {}

    def mark(self, value):
        for tensor in list_tensors(value):
            key = id(tensor)
            self._marked[key] = weakref.ref(tensor, lambda _, key=key: self._marked.pop(key, None))
        return value

    def holds(self, value):
        return isinstance(value, Tensor) and id(value) in self._marked

    def _move(self, tensor, arguments, named):
        """Do `Tensor.to`: the dtype changes, and the device is pretended."""
        target, others = None, []
        for value in (*arguments, named.pop("device", None)):
            if isinstance(value, str | torch.device):
                target = torch.device(value)
            elif isinstance(value, Tensor):
                target, others = CUDA if self.holds(value) else CPU, [*others, value.dtype]
            elif isinstance(value, torch.dtype):
                others.append(value)
        named.pop("non_blocking", None)
        was_here = self.holds(tensor)
        if was_here and target == CPU:
            self.waits[f"{find_line()} cpu"] += 1
        moved = Tensor.to(tensor, *others, **named) if others or named else tensor
        stays = target is None or (target.type == "cuda") == was_here
        # a tensor of the other place is another object
        moved = moved if stays or moved is not tensor else tensor.view_as(tensor)
        return self.mark(moved) if (was_here if target is None else target.type == "cuda") else moved

    def __torch_function__(self, function, types, arguments=(), named=None):
        named, name = dict(named or {}), getattr(function, "__name__", str(function))
        first = arguments[0] if arguments else None
        if function == Tensor.device.__get__:
            return CUDA if self.holds(first) else function(*arguments)
        if function == Tensor.is_cuda.__get__:
            return self.holds(first)
        if name == "to" and isinstance(first, Tensor):
            return self._move(first, arguments[1:], named)
        if name in ("cpu", "cuda") and isinstance(first, Tensor):
            return self._move(first, [name], {})
        if self.holds(first) and name == "numpy":
            self.forbidden[f"{find_line()} numpy"] += 1
        if self.holds(first) and name in READS:
            self.waits[f"{find_line()} {name}"] += 1
        if name == "__iter__" and self.holds(first):
            return iter([self.mark(each) for each in function(*arguments)])
        made_here = named.get("device") is not None and torch.device(named["device"]).type == "cuda"
        if made_here:
            del named["device"]
        tensors = list_tensors([*arguments, named])
        held = [self.holds(tensor) for tensor in tensors]
        if (
            any(held)
            and name not in INDEXED
            and any(not own and each.dim() for each, own in zip(tensors, held, strict=True))
        ):
            self.mixed[f"{find_line()} {name}"] += 1
        result = function(*arguments, **named)
        return self.mark(result) if made_here or any(held) else result


@contextmanager
def pretend_gpu(monkeypatch):
    """Let networks that are moved to `cuda` in the block be on a pretended GPU; yield what it counts."""
    gpu, move, make = PretendedGpu(), nn.Module.to, nn.Parameter.__new__

    def make_parameter(kind, data=None, requires_grad=True):
        made = make(kind, data, requires_grad)
        return gpu.mark(made) if gpu.holds(data) else made

    def move_network(network, *arguments, **named):
        target = arguments[0] if arguments else named.get("device")
        if isinstance(target, Tensor):
            move(network, target.dtype)
            target = CUDA if gpu.holds(target) else CPU
        if isinstance(target, str | torch.device) and torch.device(target).type == "cuda":
            for tensor in (*network.parameters(), *network.buffers()):
                gpu.mark(tensor)
            return network
        return move(network, *arguments, **named)

    monkeypatch.setattr(nn.Module, "to", move_network)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (FREE_BYTES, 2 * FREE_BYTES))
    # no function of torch makes one, so that the mode does not see it
    monkeypatch.setattr(nn.Parameter, "__new__", make_parameter)
    with gpu:
        yield gpu
