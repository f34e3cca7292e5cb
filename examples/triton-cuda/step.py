"""A training step of a small model, compiled by TorchInductor: its kernels are Triton's, their source is generated."""

import functools

import torch
from torch.nn.functional import mse_loss


@functools.cache
def models():
    layers = torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.LayerNorm(512), torch.nn.Linear(512, 256)
    model = torch.nn.Sequential(*layers).cuda()
    return model, torch.compile(model)


def gradient(forward, x, wanted):
    model, _ = models()
    model.zero_grad()
    mse_loss(forward(x), wanted).backward()
    return model[0].weight.grad.clone()


def run():
    model, compiled = models()
    x, wanted = torch.randn(1024, 512, device="cuda"), torch.randn(1024, 256, device="cuda")
    return (gradient(compiled, x, wanted) - gradient(model, x, wanted)).abs().max(), 1e-4
