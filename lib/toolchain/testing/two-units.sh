#!/bin/sh
# Makes two-units.sm_90.cubin with the nvcc on the PATH (13.0 made the committed one): two units with kernels of one name, and one of its own.
set -e
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
kernel='namespace { __global__ void scale(float* x) { *x *= FACTOR; } }'
for unit in a b; do
  { echo "$kernel"; echo "void run_$unit(float* x) { scale<<<1, 1>>>(x); }"; } > "$scratch/$unit.cu"
done
{ echo 'static __global__ void alone(float* x, int n) { x[n] = 1; }'; echo 'void run(float* x) { alone<<<1, 1>>>(x, 1); }'; } >> "$scratch/a.cu"
nvcc -rdc=true -arch=sm_90 -DFACTOR=2 -cubin "$scratch/a.cu" -o "$scratch/a.cubin"
nvcc -rdc=true -arch=sm_90 -DFACTOR=3 -cubin "$scratch/b.cu" -o "$scratch/b.cubin"
nvcc -dlink -arch=sm_90 -cubin "$scratch/a.cubin" "$scratch/b.cubin" -o "$(dirname "$0")/two-units.sm_90.cubin"
