"""torch.cat of many tensors, of several shapes: one kernel whose by-value structure has slots for 128 of them, of which it uses as many as there are."""

import torch

import digest

torch.manual_seed(0)
results = []
for count in (3, 40, 7):
    for shape in ((5, 33), (17, 64, 3)):
        parts = [torch.randn(*shape, device="cuda") for _ in range(count)]
        results += [torch.cat(parts, dim=0), torch.cat(parts, dim=1), torch.cat([part.half() for part in parts], dim=1)]
torch.cuda.synchronize()
digest.write(*results)
