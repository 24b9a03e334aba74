"""The device that a job runs a network on."""

from typing import Literal, Protocol

import torch

from attention_audit.errors import AuditError
from attention_audit.gpu import claim


class OnDevice(Protocol):
    """Settings of a job that runs a network."""

    @property
    def device(self) -> Literal["auto", "cpu", "cuda"]: ...

    @property
    def threads(self) -> int: ...


def prepare_device(settings: OnDevice) -> torch.device:
    """Threads, denormals and the device the settings ask for; raises AuditError where there is no such device.

    A GPU multiplies with all digits of float32: TF32, which cuDNN takes by default, has ten bits fewer.
    """
    torch.set_num_threads(settings.threads)
    torch.set_flush_denormal(True)
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    available = torch.cuda.is_available()
    if settings.device == "cuda" and not available:
        raise AuditError("device: cuda was asked for but none is available; set `device: auto` or `device: cpu`")
    if not available or settings.device == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", claim(torch.cuda.device_count()))
