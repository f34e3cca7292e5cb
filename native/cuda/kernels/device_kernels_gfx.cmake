# Makes gfx/TARGET.hsaco, code objects of version 4, which every ROCm since 4.1 loads, and gfx/sources.sha256.
# cmake -D CLANG=clang++-22 -D FOLDER=native/cuda/kernels -D TARGETS=gfx90a,… -P device_kernels_gfx.cmake
string(REPLACE "," ";" targets "${TARGETS}")
foreach(target ${targets})
  execute_process(
    COMMAND ${CLANG} -x hip -nogpuinc -nogpulib -ffreestanding --cuda-device-only --no-gpu-bundle-output --offload-arch=${target}
            -mcode-object-version=4 -cuid=kernloop -std=c++20 -O3 -Wall -Wextra -I ../.. device_kernels.cu -o gfx/${target}.hsaco
    WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(text "")
foreach(source device_kernels.cu device_kernels_params.h device_shim.h checksum_mix.h)
  file(SHA256 ${FOLDER}/${source} digest)
  string(APPEND text "${digest}  ${source}\n")
endforeach()
file(WRITE ${FOLDER}/gfx/sources.sha256 "${text}")
