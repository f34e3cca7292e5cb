#!/bin/sh
# make_cubins.sh PLUGIN PTXAS [FOLDER]: instrumented cubins of ../module.cu. PTXAS is that of pip's nvidia-cuda-nvcc 13.0.88.
set -e
here=$(dirname "$0")
out=${3:-$here}
for kernel in alpha; do
  clang++-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O2 -S -Wno-everything -Xclang -target-feature -Xclang +ptx80 \
    -DKERNEL=$kernel -fpass-plugin="$1" -Xclang -mllvm -Xclang -kernloop-pgo=generate -Xclang -mllvm -Xclang -kernloop-pgo-sample=all \
    "$here/../module.cu" -o "$out/$kernel.ptx"
  "$2" -arch=sm_90 "$out/$kernel.ptx" -o "$out/$kernel.sm_90.cubin"
  rm "$out/$kernel.ptx"
done
