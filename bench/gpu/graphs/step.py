"""A model step that torch.compile runs as CUDA graphs (mode="reduce-overhead"), eight times with other inputs."""

import torch
import torch.nn.functional as functional

import digest


class Block(torch.nn.Module):
    def __init__(self, width=512, heads=8):
        super().__init__()
        self.heads = heads
        self.before, self.behind = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attend = torch.nn.Linear(width, 3 * width)
        self.project = torch.nn.Linear(width, width)
        self.widen, self.narrow = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attend(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.widen(self.behind(x))))


torch.manual_seed(0)
model = torch.nn.Sequential(Block(), Block(), torch.nn.Linear(512, 1000), torch.nn.Softmax(-1)).cuda().half().eval()
step = torch.compile(model, mode="reduce-overhead")
inputs = torch.randn(4, 256, 512, device="cuda", dtype=torch.half)
results = []
with torch.no_grad():
    for i in range(8):
        torch.compiler.cudagraph_mark_step_begin()
        results.append(step(inputs * (1 + i / 8)).clone())
torch.cuda.synchronize()
digest.write(*results)
