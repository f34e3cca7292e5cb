# Makes device_kernels.ptx and scrub_kernel.ptx. The oldest target that CUDA 11 to 13 all take; the driver compiles it
# for its GPU.
# cmake -D CLANG=clang++-15 -D FOLDER=native/cuda/kernels -P device_kernels_ptx.cmake
function(make_ptx unit)
  set(ptx ${FOLDER}/${unit}.ptx)
  # No CUDA toolkit takes part: the path keeps clang from looking for one, which would raise the PTX version.
  execute_process(
    COMMAND ${CLANG} -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent -ffreestanding --cuda-device-only
            --cuda-gpu-arch=sm_60 -Xclang -target-feature -Xclang +ptx64 -std=c++20 -O3 -Wall -Wextra -I ../.. -S
            ${unit}.cu -o ${ptx}.body
    WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  set(text "// Kernloop's device kernels (Apache License 2.0), made by the target device_kernels_ptx from:\n")
  foreach(source ${unit}.cu ${ARGN})
    file(SHA256 ${FOLDER}/${source} digest)
    string(APPEND text "// sha256 ${digest} ${source}\n")
  endforeach()
  file(READ ${ptx}.body body)
  file(REMOVE ${ptx}.body)
  file(WRITE ${ptx} "${text}${body}")
endfunction()

make_ptx(device_kernels device_kernels_params.h device_shim.h checksum_mix.h)
make_ptx(scrub_kernel scrub_params.h)
