#!/bin/sh
# Makes the cubins of the CUDA replay tests (nvcc 13.0), which are committed so that the tests need no CUDA.
set -e
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
$nvcc -cubin -arch=sm_90 --fmad=false -o replay_baseline.cubin replay_kernels.cu
for variant in do_nothing spin wild beyond wrong_ulp prints clustered bounds required shared registers unwritten_shared \
  unwritten_local filled_shared filled_local first_only lens; do
  $nvcc -cubin -arch=sm_90 --fmad=false -DVARIANT=$variant -DVARIANT_$variant -o replay_$variant.cubin replay_kernels.cu
done
