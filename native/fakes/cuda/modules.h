// Modules, which belong to a context, and libraries, which are loaded into each context when it first needs them.
#pragma once

#include "fakes/cuda/objects.h"

namespace kernloop::cuda::fake {

CUresult load_module(CUcontext context, std::shared_ptr<const Image> image, CUlibrary library, CUmodule* module);
void unload_module(CUmodule module);
CUresult find_function(CUmodule module, std::string_view name, CUfunction* function);

CUlibrary create_library(std::shared_ptr<const Image> image);
void unload_library(CUlibrary library);
CUresult module_in(CUcontext context, CUlibrary library, CUmodule* module);
CUresult function_in(CUcontext context, CUkernel kernel, CUfunction* function);

// A launch takes a function of the context, or a kernel in its place, as the CUDA runtime passes it.
CUresult resolve_function(CUcontext context, CUfunction handle, CUfunction* function);

}  // namespace kernloop::cuda::fake
