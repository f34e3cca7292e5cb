#!/bin/sh
# Compiles the .cu files into the cubins that the tests read, and prints what ptxas says of them. Needs CUDA 13.0 or later.
set -e
cd "$(dirname "$0")"
for arch in sm_75 sm_90 sm_100; do
  for name in parameters resources calls; do
    echo "== $name.$arch"
    nvcc -std=c++17 -O3 -arch=$arch -cubin -Xptxas -v "$name.cu" -o "$name.$arch.cubin" 2>ptxas.log || { cat ptxas.log; exit 1; }
    sed -n "s/.*Compiling entry function '\([^']*\)'.*/\1:/p; s/.*info *: Used /  /p" ptxas.log
  done
done
rm ptxas.log
# Relocatable device code of two translation units, linked: functions and variables keep sections and bindings of their own.
for name in parameters calls; do
  nvcc -std=c++17 -O3 -arch=sm_90 -rdc=true -cubin "$name.cu" -o "$name.relocatable.cubin"
done
nvlink -arch=sm_90 parameters.relocatable.cubin calls.relocatable.cubin -o linked.sm_90.cubin
rm parameters.relocatable.cubin calls.relocatable.cubin
nvcc -arch=sm_90 -rdc=true -cubin tiny.cu -o tiny.relocatable.cubin
nvcc -arch=sm_90 -rdc=true -cubin launches.cu -o launches.relocatable.cubin
nvlink -arch=sm_90 launches.relocatable.cubin -o launches.sm_90.cubin
rm launches.relocatable.cubin
for arch in sm_80 sm_86 sm_90a sm_100a sm_100f sm_120; do nvcc -arch=$arch -cubin tiny.cu -o "tiny.$arch.cubin"; done
nvcc -arch=sm_90 -fatbin tiny.cu -o tiny.fatbin
nvcc -arch=sm_90 -ptx tiny.cu -o tiny.ptx
nvcc -arch=sm_90 -c tiny.cu -o tiny.o
strip --strip-debug tiny.o
chmod 644 *.o *.cubin *.fatbin *.ptx
