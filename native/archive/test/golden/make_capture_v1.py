#!/usr/bin/env python3
"""Writes capture-v1/ from docs/archive-format.md alone: a second implementation, so that the reader is tested against the document
and not against our own writer. The files are committed and stay as they are: every release of version 1 reads them.
Needs the `zstd` command."""

import hashlib
import json
import pathlib
import struct
import subprocess

CHUNK_BYTES = 4096
folder = pathlib.Path(__file__).parent / "capture-v1"
chunks = {}  # digest -> (raw, stored, encoding), in order of first use


def pattern(size, step):
    return bytes((i * i * step + i // 7 + step) & 0xFF for i in range(size))


def content(data, compress=False):
    names = []
    for at in range(0, len(data), CHUNK_BYTES):
        raw = data[at : at + CHUNK_BYTES]
        if not any(raw):
            names.append(None)
            continue
        name = hashlib.sha256(raw).digest()
        stored = subprocess.run(["zstd", "-3", "-c"], input=raw, stdout=subprocess.PIPE, check=True).stdout if compress else raw
        chunks.setdefault(name, (raw, stored, int(compress)))
        names.append(name.hex())
    return {"chunks": names}


code = pattern(300, 3)
in_place_pre, in_place_post = pattern(5000, 5), pattern(5000, 9)
mostly_zero = bytes(CHUNK_BYTES) + b"tail"
table = b"0123456789abcdef" * 300
digest = hashlib.sha256(code).hexdigest()
manifest = {
    "schema": "kernloop.capture/1",
    "tool": {"name": "kernloop", "version": "0.1.0"},
    "hash": "sha256",
    "chunk_bytes": CHUNK_BYTES,
    "app": {"name": "golden", "command": ["build/golden"], "cwd": ".", "environment": {}, "files": []},
    "device": {"kind": "softgpu", "identity": "softgpu-gfx90a-1", "isa": "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
               "name": "Software AMD GPU", "wavefront_size": 64},
    "kernel": {"name": "golden(float*)", "symbol": "_Z6goldenPf", "code_object": digest, "kernarg_bytes": 8,
               "group_segment_bytes": 0, "private_segment_bytes": 0},
    "dispatch": {"ordinal": 2, "index": 5, "queue": 1},
    "geometry": {"grid_blocks": [4, 1, 1], "block_threads": [64, 1, 1], "grid_work_items": [200, 1, 1],
                 "group_segment_bytes": 0, "private_segment_bytes": 0, "dimensions": 1},
    "kernarg": {"hex": "0010000000400000", "slots": [
        {"offset": 0, "size": 8, "kind": "global_buffer", "name": "data", "value": "0x400000001000", "region": "r0",
         "policy": "replay", "field_of_a_later_minor_version": True}]},
    "scope": {"mode": "reachable", "widened": False, "tracked_regions": 3, "tracked_bytes": 20000},
    "regions": [
        {"id": "r0", "base": "0x400000001000", "size": 5000, "class": "device", "api": "hsa_amd_memory_pool_allocate",
         "allocation_ordinal": 1, "pre": content(in_place_pre), "post": content(in_place_post)},
        {"id": "r1", "base": "0x480000000000", "size": len(mostly_zero), "class": "host", "api": "hsa_amd_memory_pool_allocate",
         "allocation_ordinal": 2, "pre": content(mostly_zero), "post": content(mostly_zero)}],
    "module_variables": [
        {"code_object": digest, "name": "c_tab", "address": "0x500000000100", "size": len(table),
         "pre": content(table, compress=True), "post": content(table, compress=True)}],
    "code_objects": [{"sha256": digest, "size": len(code), "load_base": "0x500000000000", "content": content(code)}],
    "execution": {"wave_instructions": 1234},
}

folder.mkdir(exist_ok=True)
(folder / "capture.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
(folder / "observed.json").write_text("{}\n")
body, entries = b"KLPACK1\n", []
for name, (raw, stored, encoding) in chunks.items():
    entries.append((name, struct.pack("<QQII", len(body), len(stored), len(raw), encoding)))
    body += stored
index = b"".join(name + rest for name, rest in sorted(entries))
footer = struct.pack("<QQ", len(body), len(entries)) + hashlib.sha256(index).digest() + b"KLPKEND\n"
(folder / "chunks.pack").write_bytes(body + index + footer)
