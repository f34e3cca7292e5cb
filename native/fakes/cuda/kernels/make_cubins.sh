#!/bin/sh
# Makes the committed test cubins with nvcc 13.0; run it after each change of test_kernels.cu.
set -e
cd "$(dirname "$0")"
for variant in 0:test_kernels 1:do_nothing 2:one_ulp_wrong; do
  nvcc -cubin -arch=sm_90 -DVARIANT="${variant%%:*}" test_kernels.cu -o "../test/data/${variant#*:}.sm_90.cubin"
done
