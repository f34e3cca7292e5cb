// The functions of NVRTC that Kernloop uses, as nvrtc.h declares them.
#pragma once

#include <cstddef>

extern "C" {
int nvrtcVersion(int* major, int* minor);
int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* contents,
                       const char* const* names);
int nvrtcAddNameExpression(void* program, const char* expression);
int nvrtcCompileProgram(void* program, int options, const char* const* option);
int nvrtcDestroyProgram(void** program);
int nvrtcGetCUBINSize(void* program, size_t* size);
int nvrtcGetCUBIN(void* program, char* cubin);
int nvrtcGetPTXSize(void* program, size_t* size);
int nvrtcGetPTX(void* program, char* ptx);
int nvrtcGetProgramLogSize(void* program, size_t* size);
int nvrtcGetProgramLog(void* program, char* log);
}
