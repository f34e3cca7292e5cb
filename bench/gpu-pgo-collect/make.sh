#!/bin/sh
# make.sh PTXAS FOLDER: everything that run.sh needs on a machine with a GPU and without clang or this repository. PTXAS is that of pip's
# nvidia-cuda-nvcc 13.0.88. On the GPU's machine: FOLDER/run.sh, which writes its evidence under $OUT.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../native/build
test=$here/../../native/pgo/collect/test
mkdir -p "$2"
cp "$here/run.sh" "$here/check.py" "$here/runtime_app.cu" "$2"
cp "$build/bin/kernloop-pgo" "$build/lib/libkernloop-pgo-cuda.so" "$build/pgo/collect/test/pgo_cuda_app" "$2"
strip "$2/kernloop-pgo" "$2/libkernloop-pgo-cuda.so" "$2/pgo_cuda_app"
for kind in alpha:all sampled:blocks:2; do
  name=${kind%%:*}
  clang++-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O2 -S -Wno-everything -Xclang -target-feature -Xclang +ptx80 \
    -DKERNEL=alpha -fpass-plugin="$build/lib/kernloop-pgo-pass-22.so" -Xclang -mllvm -Xclang -kernloop-pgo=generate \
    -Xclang -mllvm -Xclang -kernloop-pgo-sample="${kind#*:}" "$test/module.cu" -o "$2/$name.ptx"
  "$1" -arch=sm_90 "$2/$name.ptx" -o "$2/$name.cubin"
done
