#include "fakes/cuda/modules.h"

#include <cstring>

#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/memory/memory.h"

namespace kernloop::cuda::fake {
namespace {

void report(CUpti_CallbackIdResource id, const CUmod_st& module) {
  CUpti_ModuleResourceData data = {};
  data.moduleId = module.id;
  data.cubinSize = module.image->bytes.size();
  data.pCubin = reinterpret_cast<const char*>(module.image->bytes.data());
  callbacks().resource(id, module.context, nullptr, &data);
}

CUresult place_variable(CUmod_st& module, const ImageVariable& variable) {
  Allocation wanted;
  wanted.bytes = variable.initial.size();
  wanted.device = module.context->device;
  wanted.context = module.context;
  CUdeviceptr address = 0;
  if (const CUresult error = memory().allocate(wanted, &address); error != CUDA_SUCCESS) return error;
  std::memcpy(reinterpret_cast<void*>(address), variable.initial.data(), variable.initial.size());
  module.variables[variable.name] = {address, variable.initial.size()};
  return CUDA_SUCCESS;
}

}  // namespace

CUresult load_module(CUcontext context, std::shared_ptr<const Image> image, CUlibrary library, CUmodule* module) {
  static std::atomic<uint32_t> next_id{1};
  auto* const loaded = new CUmod_st;
  loaded->context = context;
  loaded->image = std::move(image);
  loaded->id = next_id++;
  loaded->library = library;
  for (const ImageVariable& variable : loaded->image->variables) {
    if (variable.initial.empty()) continue;
    if (const CUresult error = place_variable(*loaded, variable); error != CUDA_SUCCESS) return error;
  }
  for (const ImageKernel& kernel : loaded->image->kernels) {
    auto* const function = new CUfunc_st{loaded, &kernel, {}};
    loaded->functions[kernel.name] = Live<CUfunction>::of().add(function);
  }
  *module = Live<CUmodule>::of().add(loaded);
  report(CUPTI_CBID_RESOURCE_MODULE_LOADED, *loaded);
  return CUDA_SUCCESS;
}

void unload_module(CUmodule module) {
  report(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, *module);
  Live<CUmodule>::of().remove(module);
  for (const auto& [name, function] : module->functions) Live<CUfunction>::of().remove(function);
  for (const auto& [name, variable] : module->variables) (void)memory().free(variable.address, {MemoryKind::Device});
}

CUresult find_function(CUmodule module, std::string_view name, CUfunction* function) {
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = found->second;
  return CUDA_SUCCESS;
}

CUlibrary create_library(std::shared_ptr<const Image> image) {
  auto* const library = new CUlib_st;
  library->image = std::move(image);
  for (const ImageKernel& kernel : library->image->kernels) {
    library->kernels[kernel.name] = Live<CUkernel>::of().add(new CUkern_st{library, &kernel, {}});
  }
  return Live<CUlibrary>::of().add(library);
}

void unload_library(CUlibrary library) {
  const std::lock_guard lock(library->mutex);
  for (const auto& [context, module] : library->modules) {
    if (alive(context)) unload_module(module);
  }
  Live<CUlibrary>::of().remove(library);
  for (const auto& [name, kernel] : library->kernels) Live<CUkernel>::of().remove(kernel);
}

CUresult module_in(CUcontext context, CUlibrary library, CUmodule* module) {
  const std::lock_guard lock(library->mutex);
  if (const auto found = library->modules.find(context); found != library->modules.end()) {
    *module = found->second;
    return CUDA_SUCCESS;
  }
  const CUresult error = load_module(context, library->image, library, module);
  if (error == CUDA_SUCCESS) library->modules[context] = *module;
  return error;
}

CUresult function_in(CUcontext context, CUkernel kernel, CUfunction* function) {
  CUmodule module = nullptr;
  if (const CUresult error = module_in(context, kernel->library, &module); error != CUDA_SUCCESS) return error;
  if (const CUresult error = find_function(module, kernel->kernel->name, function); error != CUDA_SUCCESS) return error;
  for (const auto& [attribute, value] : kernel->attributes) (*function)->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult resolve_function(CUcontext context, CUfunction handle, CUfunction* function) {
  if (const auto kernel = reinterpret_cast<CUkernel>(handle); alive(kernel))
    return function_in(context, kernel, function);
  if (!alive(handle) || handle->module->context != context) return CUDA_ERROR_INVALID_HANDLE;
  *function = handle;
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
