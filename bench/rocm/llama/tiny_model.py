"""Writes a GGUF file of the architecture "llama" with random weights, which say nothing and run in seconds on the
software GPU: python3 tiny_model.py FILE. The format: ggml's docs/gguf.md; written by its own package `gguf`."""

import sys

import gguf
import numpy as np

EMBEDDING, HEADS, BLOCKS, FEED_FORWARD, CONTEXT = 256, 4, 2, 512, 256


def add_tokens(writer: gguf.GGUFWriter) -> int:
    """A vocabulary of bytes and of printable characters. Returns its size."""
    special = ["<unk>", "<s>", "</s>"]
    by_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    pieces = ["\u2581"] + [chr(code) for code in range(0x21, 0x7F)]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(special + by_bytes + pieces)
    writer.add_token_scores([0.0] * (len(special) + len(by_bytes)) + [-float(rank) for rank in range(len(pieces))])
    kinds = gguf.TokenType
    writer.add_token_types(
        [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * len(by_bytes) + [kinds.NORMAL] * len(pieces)
    )
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    return len(special) + len(by_bytes) + len(pieces)


def main(path: str) -> None:
    random = np.random.default_rng(42)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(BLOCKS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    vocabulary = add_tokens(writer)
    writer.add_vocab_size(vocabulary)

    def matrix(name: str, rows: int, columns: int) -> None:
        weights = random.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)
        quantized = gguf.quants.quantize(weights, gguf.GGMLQuantizationType.Q8_0)
        writer.add_tensor(name, quantized, raw_dtype=gguf.GGMLQuantizationType.Q8_0)

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(EMBEDDING, np.float32))

    matrix("token_embd.weight", vocabulary, EMBEDDING)
    for block in range(BLOCKS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"blk.{block}.{name}.weight", EMBEDDING, EMBEDDING)
        matrix(f"blk.{block}.ffn_gate.weight", FEED_FORWARD, EMBEDDING)
        matrix(f"blk.{block}.ffn_up.weight", FEED_FORWARD, EMBEDDING)
        matrix(f"blk.{block}.ffn_down.weight", EMBEDDING, FEED_FORWARD)
        ones(f"blk.{block}.attn_norm.weight")
        ones(f"blk.{block}.ffn_norm.weight")
    ones("output_norm.weight")
    matrix("output.weight", vocabulary, EMBEDDING)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
