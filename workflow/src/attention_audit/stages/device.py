"""The device that a job runs a network on."""

from typing import Literal

import torch

from attention_audit.errors import AuditError
from attention_audit.gpu import claim


def prepare_device(device: Literal["auto", "cpu", "cuda"], threads: int) -> torch.device:
    """Threads, denormals and the device that the settings ask for; raises AuditError where there is no such device.

    A GPU multiplies with all digits of float32: TF32, which cuDNN takes by default, has ten bits fewer.
    """
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise AuditError("device: cuda was asked for but none is available; set `device: auto` or `device: cpu`")
    if not available or device == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", claim(torch.cuda.device_count()))
