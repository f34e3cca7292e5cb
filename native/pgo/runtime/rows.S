// HIPRTC is a library of its own from ROCm 6 on, and part of HIP before.
#include "interpose/rows.S"

    instead_of hiprtcCreateProgram, "libhiprtc libamdhip64"
    instead_of hiprtcAddNameExpression, "libhiprtc libamdhip64"
    instead_of hiprtcCompileProgram, "libhiprtc libamdhip64"
    instead_of hiprtcGetCode, "libhiprtc libamdhip64"
    instead_of hiprtcDestroyProgram, "libhiprtc libamdhip64"

    instead_of hipModuleLoadData, "libamdhip64"
    instead_of hipModuleLoadDataEx, "libamdhip64"
    instead_of hipModuleUnload, "libamdhip64"
    instead_of hipModuleGetFunction, "libamdhip64"
    instead_of hipModuleLaunchKernel, "libamdhip64"
    instead_of hipStreamBeginCapture, "libamdhip64"
    instead_of hipStreamEndCapture, "libamdhip64"
    instead_of _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j, "libamdhip64"
    instead_of hipGetProcAddress, "libamdhip64"
