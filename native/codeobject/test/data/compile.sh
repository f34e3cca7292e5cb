#!/bin/sh
# Compiles kernels.hip into the code objects that the native tests read. Needs clang 15 and Debian's ROCm device libraries.
set -e
cd "$(dirname "$0")"
compile() {
  output=$1
  shift
  clang++-15 -x hip kernels.hip -O3 --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output \
    -mcode-object-version=4 -munsafe-fp-atomics -ffile-prefix-map="$PWD"=. --rocm-path=/usr \
    --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode "$@" -o "$output"
}
compile baseline.hsaco
compile do_nothing.hsaco -DDO_NOTHING
compile wrong_bit.hsaco -DWRONG_BIT
compile beyond.hsaco -DBEYOND
compile wild.hsaco -DWILD
compile float_atomic.hsaco -DFLOAT_ATOMIC
compile allocates.hsaco -DALLOCATES
compile past_lds.hsaco -DPAST_LDS
compile spin.hsaco -DSPIN
compile no_fill.hsaco -DNO_FILL
compile more_arguments.hsaco -DMORE_ARGUMENTS
compile no_variables.hsaco -DNO_VARIABLES
compile bounds_32.hsaco -DLAUNCH_BOUNDS=32
compile bounds_64.hsaco -DLAUNCH_BOUNDS=64
compile static_lds.hsaco -DSTATIC_LDS=64
compile full_lds.hsaco -DSTATIC_LDS=65536
compile padded.hsaco -DPADDED
compile prints.hsaco -DPRINTS=3
compile prints_never.hsaco -DPRINTS=-1
compile other_initializer.hsaco -DOTHER_INITIALIZER
compile lens.hsaco -DLENS
compile lens_hidden.hsaco -DLENS -DASKS_BLOCK -mcode-object-version=5
compile lens_kept.hsaco -DLENS_KEPT
clang-15 -x cl -O3 -target amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 -nogpulib required_block.cl -o required_block.hsaco
# The same for two targets, as an offload bundle and inside of a host object.
clang++-15 -x hip small.hip -O3 --offload-arch=gfx90a --offload-arch=gfx1030 --cuda-device-only -mcode-object-version=4 \
  --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -o small.hipfb
clang++-15 -x hip small.hip -O3 --offload-arch=gfx90a --offload-arch=gfx1030 -c -mcode-object-version=4 -include hip/hip_runtime.h --rocm-path=/usr \
  --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -o small.o
# The code objects of small.hipfb, compressed by clang 22's bundler in both versions of the format. small_compressed.o is of clang 21 under HIP 6.4:
# clang++ -x hip small.hip -O3 --offload-arch=gfx90a --offload-arch=gfx1030 --offload-compress -c -nogpulib -include hip/hip_runtime.h --rocm-path=/usr
targets=hipv4-amdgcn-amd-amdhsa--gfx90a,hipv4-amdgcn-amd-amdhsa--gfx1030
clang-offload-bundler-22 -type=o -unbundle -targets=$targets -input=small.hipfb -output=gfx90a.part -output=gfx1030.part
for version in 2 3; do
  COMPRESSED_BUNDLE_FORMAT_VERSION=$version clang-offload-bundler-22 -type=o -bundle-align=4096 -targets=host-x86_64-unknown-linux-gnu-,$targets \
    -input=/dev/null -input=gfx90a.part -input=gfx1030.part -compress -output=small.v$version.ccob
done
rm -f gfx90a.part gfx1030.part
chmod 644 *.hsaco *.hipfb *.o *.ccob
