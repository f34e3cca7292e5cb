#!/bin/bash
# The collector for CUDA on a GPU: every way to load code; lane totals are exact, uniformity within its bounds.
cd "$(dirname "$0")"; here=$PWD; OUT=${OUT:-$here/out}; mkdir -p "$OUT"; chmod +x pgo_cuda_app kernloop-pgo
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$OUT/gpu.txt" 2>&1; nvcc --version 2>/dev/null | tail -2 >> "$OUT/gpu.txt"; ldd --version | head -1 >> "$OUT/gpu.txt"
work=$(mktemp -d); table=$OUT/table.txt; : > "$table"; failed=0
one() { # title launches period command…
  local title=$1 launches=$2 period=$3; shift 3; local dir="$work/${title// /_}"; mkdir -p "$dir"
  LLVM_PROFILE_FILE="$dir/p.profraw" LLVM_PROFILE_VERBOSE=1 LD_PRELOAD="$here/libkernloop-pgo-cuda.so" timeout 60 "$@" > "$dir/log" 2>&1; local rc=$?
  echo "== $title rc=$rc" >> "$OUT/logs.txt"; cat "$dir/log" >> "$OUT/logs.txt"
  python3 check.py "$title" "$launches" "$period" "$dir" "$here/kernloop-pgo" >> "$table" 2>&1 || failed=1
  cp -r "$dir" "$OUT/" 2>/dev/null
}
for how in module data library file; do one "$how, unloaded" 3 1 ./pgo_cuda_app $how run unload alpha.cubin alpha 3; done
one "module by procaddress" 2 1 ./pgo_cuda_app procaddress module run unload alpha.cubin alpha 2
one "library by procaddress" 2 1 ./pgo_cuda_app procaddress library run unload alpha.cubin alpha 2
one "module, never unloaded" 1 1 ./pgo_cuda_app module run keep alpha.cubin alpha
one "context destroyed" 1 1 ./pgo_cuda_app module run destroy alpha.cubin alpha
one "PTX, compiled by the driver" 1 1 ./pgo_cuda_app data run unload alpha.ptx alpha
one "one block in 2" 1 2 ./pgo_cuda_app module run unload sampled.cubin alpha
if nvcc -arch=sm_90 runtime_app.cu -o "$work/static_runtime" 2>> "$OUT/logs.txt" && nvcc -arch=sm_90 -cudart shared runtime_app.cu -o "$work/shared_runtime" 2>> "$OUT/logs.txt"; then
  one "runtime, linked in" 5 1 "$work/static_runtime" alpha.cubin
  one "runtime, shared" 5 1 "$work/shared_runtime" alpha.cubin
  one "runtime, reset at its end" 5 1 "$work/static_runtime" alpha.cubin reset
else echo "runtime: nvcc failed, see logs.txt" >> "$table"; failed=1; fi
cat "$OUT/gpu.txt" "$table"; echo "collect: $([ $failed = 0 ] && echo PASS || echo FAIL)"
