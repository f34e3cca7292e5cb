// A gate for every function of HIP that returns a hipError_t: it returns the error of a device that is lost (error.h).
#include "interpose/pass.S"

#define KERNLOOP_HIP_FUNCTION(name) pass name, "libamdhip64.so"
#include "softgpu/hip/functions.def"

    pass hipHostRegister, "libamdhip64.so", kernloop_instead_of_hipHostRegister
    pass hipHostUnregister, "libamdhip64.so", kernloop_instead_of_hipHostUnregister
    pass hipStreamAddCallback, "libamdhip64.so", kernloop_instead_of_hipStreamAddCallback

    instead_of hipGetProcAddress, "libamdhip64.so"
