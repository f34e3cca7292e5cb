"""A few operators whose kernels come ready-made with PyTorch and cuBLAS: nothing here has source that could be edited.

ops.py [ballast GiB] [rounds]

The ballast is device memory full of random numbers that none of the kernels touches.
"""

import sys

import torch


def main() -> int:
    ballast_gib = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device("cuda")

    blocks = []
    for _ in range(round(ballast_gib * 4)):  # of 256 MiB
        blocks.append(torch.randint(-(2**63), 2**63 - 1, (1 << 25,), dtype=torch.int64, device=device))

    rows = torch.randn(4096, 1024, device=device)
    left, right = torch.randn(1024, 1024, device=device), torch.randn(1024, 1024, device=device)
    left_bf16, right_bf16 = (torch.randn(2048, 2048, device=device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(rounds):
        probabilities = torch.softmax(rows, dim=-1)
        normalised = torch.nn.functional.layer_norm(rows, (1024,))
        total = probabilities.sum()
        activated = torch.nn.functional.gelu(rows)
        product = left @ right
        product_bf16 = left_bf16 @ right_bf16
    torch.cuda.synchronize()

    worst = {
        "softmax": (probabilities.double() - torch.softmax(rows.double(), dim=-1)).abs().max().item(),
        "layer_norm": (normalised.double() - torch.nn.functional.layer_norm(rows.double(), (1024,))).abs().max().item(),
        "sum": abs(total.item() - 4096.0) / 4096.0,
        "gelu": (activated.double() - torch.nn.functional.gelu(rows.double())).abs().max().item(),
        "matmul": (product.double() - left.double() @ right.double()).abs().max().item(),
        "matmul_bf16": (product_bf16.double() - left_bf16.double() @ right_bf16.double()).abs().max().item(),
    }
    limits = {"softmax": 1e-6, "layer_norm": 1e-4, "sum": 1e-5, "gelu": 1e-5, "matmul": 1e-3, "matmul_bf16": 1.0}
    wrong = [name for name, error in worst.items() if not error <= limits[name]]
    print(f"pytorch-ops: {len(wrong)} of {len(worst)} operators wrong {wrong if wrong else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
