"""A mixture of experts of Mixtral's architecture, small and with random weights: a forward pass and greedy generation in fp16."""

import torch
from transformers import MixtralConfig, MixtralForCausalLM

import digest

torch.manual_seed(0)
config = MixtralConfig(
    vocab_size=4096, hidden_size=1024, intermediate_size=3584, num_hidden_layers=4, num_attention_heads=16, num_key_value_heads=4,
    num_local_experts=8, num_experts_per_tok=2, max_position_embeddings=1024,
)
model = MixtralForCausalLM(config).half().cuda().eval()
prompt = torch.randint(0, 4096, (1, 128), generator=torch.Generator().manual_seed(1)).cuda()
with torch.no_grad():
    logits = model(prompt).logits
    tokens = model.generate(prompt, max_new_tokens=8, do_sample=False, pad_token_id=0)
torch.cuda.synchronize()
digest.write(logits, tokens)
