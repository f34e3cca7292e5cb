#include "fakes/cuda/modules.h"

#include <fstream>
#include <iterator>

#include "fakes/cuda/api.h"
#include "fakes/cuda/functions.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {
namespace {

CUresult read_file(const char* path, std::vector<char>* bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  bytes->assign(std::istreambuf_iterator<char>(file), {});
  bytes->push_back('\0');
  return CUDA_SUCCESS;
}

// The requested facts of the n-th parameter; past the last one an invalid value, as in the real driver.
CUresult parameter_info(const ImageKernel& kernel, size_t index, size_t* offset, size_t* bytes) {
  if (index >= kernel.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  if (offset != nullptr) *offset = kernel.parameters[index].offset;
  if (bytes != nullptr) *bytes = kernel.parameters[index].bytes;
  return CUDA_SUCCESS;
}

CUresult variable_of(CUmodule module, const char* name, CUdeviceptr* address, size_t* bytes) {
  const auto found = module->variables.find(name);
  if (found == module->variables.end()) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = found->second.address;
  if (bytes != nullptr) *bytes = found->second.bytes;
  return CUDA_SUCCESS;
}

}  // namespace

// --- Modules ---

CUresult cuModuleLoadData(CUmodule* module, const void* data) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (const CUresult error = check_unsafe_call(); error != CUDA_SUCCESS) return error;
  std::shared_ptr<const Image> image;
  if (const CUresult error = read_image(data, &image); error != CUDA_SUCCESS) return error;
  return load_module(now.context, std::move(image), nullptr, module);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  std::vector<char> bytes;
  const CUresult error = read_file(path, &bytes);
  return error == CUDA_SUCCESS ? cuModuleLoadData(module, bytes.data()) : error;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule*, const void*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleUnload(CUmodule module) {
  if (!alive(module) || module->library != nullptr) return CUDA_ERROR_INVALID_HANDLE;
  synchronize(module->context);
  unload_module(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (!alive(module)) return CUDA_ERROR_INVALID_HANDLE;
  return find_function(module, name, function);
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return alive(module) ? variable_of(module, name, address, bytes) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module) {
  if (!alive(module)) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned int>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule module) {
  if (!alive(module)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, function] : module->functions) {
    if (count-- == 0) break;
    *functions++ = function;
  }
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

// --- Functions. A kernel in a function's place is an invalid handle, except in a launch. ---

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (!alive(function)) return CUDA_ERROR_INVALID_HANDLE;
  *module = function->module;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  if (!alive(function)) return CUDA_ERROR_INVALID_HANDLE;
  *name = function->kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (!alive(function)) return CUDA_ERROR_INVALID_HANDLE;
  return get_attribute(*function->kernel, function->attributes, attribute, value);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (!alive(function)) return CUDA_ERROR_INVALID_HANDLE;
  return set_attribute(*function->kernel, function->attributes, attribute, value);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return alive(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return alive(function) ? parameter_info(*function->kernel, index, offset, bytes) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return alive(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncLoad(CUfunction function) {
  return alive(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// --- Libraries and kernels ---

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned int, CUlibraryOption*,
                           void**, unsigned int) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  std::shared_ptr<const Image> image;
  if (const CUresult error = read_image(code, &image); error != CUDA_SUCCESS) return error;
  *library = create_library(std::move(image));
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned int,
                               CUlibraryOption*, void**, unsigned int) {
  std::vector<char> bytes;
  if (const CUresult error = read_file(path, &bytes); error != CUDA_SUCCESS) return error;
  return cuLibraryLoadData(library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

CUresult cuLibraryUnload(CUlibrary library) {
  if (!alive(library)) return CUDA_ERROR_INVALID_HANDLE;
  unload_library(library);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  if (!alive(library)) return CUDA_ERROR_INVALID_HANDLE;
  const auto found = library->kernels.find(name);
  if (found == library->kernels.end()) return CUDA_ERROR_NOT_FOUND;
  *kernel = found->second;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  return alive(library) ? module_in(now.context, library, module) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  CUmodule module = nullptr;
  const CUresult error = cuLibraryGetModule(&module, library);
  return error == CUDA_SUCCESS ? variable_of(module, name, address, bytes) : error;
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
  if (!alive(library)) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned int>(library->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library) {
  if (!alive(library)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, kernel] : library->kernels) {
    if (count-- == 0) break;
    *kernels++ = kernel;
  }
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  return alive(kernel) ? function_in(now.context, kernel, function) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  if (!alive(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  *library = kernel->library;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  if (!alive(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel->kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return alive(kernel) ? parameter_info(*kernel->kernel, index, offset, bytes) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  if (!alive(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  return get_attribute(*kernel->kernel, kernel->attributes, attribute, value);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  if (!alive(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  return set_attribute(*kernel->kernel, kernel->attributes, attribute, value);
}

}  // namespace kernloop::cuda::fake
