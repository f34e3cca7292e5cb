#include "fakes/cuda/process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/memory/address_map.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/settings.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {
namespace {

std::atomic<pid_t> initialised_in{0};
std::atomic<bool> ended{false};

// The library is loaded at the first cuInit, before that returns, like in the real driver.
void inject() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const start = library != nullptr ? dlsym(library, "InitializeInjection") : nullptr;
  if (start == nullptr) {
    std::fprintf(stderr, "fake CUDA: CUDA_INJECTION64_PATH: %s\n", dlerror());
    return;
  }
  reinterpret_cast<int (*)()>(start)();
}

struct Primary {
  CUcontext context = nullptr;
  int references = 0;
  unsigned int flags = 0;
};

struct Primaries {
  std::recursive_mutex mutex;  // a subscriber that hears of a context may call back
  std::vector<Primary> of_device = std::vector<Primary>(static_cast<size_t>(settings().devices));
};

Primaries& primaries() {
  static Primaries* const kPrimaries = new Primaries;
  return *kPrimaries;
}

void destroy_primary(Primary& primary) {
  if (primary.context != nullptr) destroy_context(primary.context);
  primary.context = nullptr;
  primary.references = 0;
}

std::map<CUlimit, size_t> default_limits() {
  return {{CU_LIMIT_STACK_SIZE, 1024},
          {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20},
          {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
          {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
          {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
          {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}};
}

}  // namespace

CUresult initialise_process() {
  pid_t never = 0;
  if (initialised_in.compare_exchange_strong(never, getpid())) {
    leave_out_what_is_mapped();
    inject();
    callbacks().resource(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr, nullptr, nullptr);
  }
  return check_initialised();
}

CUresult check_initialised() {
  return initialised_in.load() == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

bool has_ended() {
  return ended;
}

std::vector<CUcontext>& context_stack() {
  // Not destroyed: exit handlers call the driver, as those of the CUDA runtime do, and run after a thread's variables
  // are destroyed.
  thread_local auto& stack = *new std::vector<CUcontext>;
  return stack;
}

CUcontext current_context() {
  return context_stack().empty() ? nullptr : context_stack().back();
}

Here here() {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return {nullptr, error};
  const CUcontext context = current_context();
  if (context == nullptr) return {nullptr, CUDA_ERROR_INVALID_CONTEXT};
  if (!alive(context)) return {nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED};
  return {context, context->error.load()};
}

CUcontext create_context(int device, unsigned int flags, bool primary) {
  static std::atomic<uint32_t> next_uid{1};
  auto* const context = new CUctx_st;
  context->device = device;
  context->uid = next_uid++;
  context->flags = flags;
  context->primary = primary;
  context->limits = default_limits();
  Live<CUcontext>::of().add(context);
  context->legacy = create_stream(context, CU_STREAM_DEFAULT, 0);
  callbacks().resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context, nullptr, nullptr);
  return context;
}

void destroy_context(CUcontext context) {
  callbacks().resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context, nullptr, nullptr);
  context->going_away = true;
  synchronize(context);
  Live<CUcontext>::of().remove(context);
  for (const CUstream stream : context->streams) Live<CUstream>::of().remove(stream);
  memory().free_all_of(context);
}

CUresult retain_primary(int device, CUcontext* context) {
  const std::lock_guard lock(primaries().mutex);
  Primary& primary = primaries().of_device[static_cast<size_t>(device)];
  if (primary.context == nullptr) primary.context = create_context(device, primary.flags, true);
  ++primary.references;
  *context = primary.context;
  return CUDA_SUCCESS;
}

CUresult release_primary(int device) {
  const std::lock_guard lock(primaries().mutex);
  Primary& primary = primaries().of_device[static_cast<size_t>(device)];
  if (primary.references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary.references > 0) return CUDA_SUCCESS;
  destroy_primary(primary);
  if (settings().ends_with_context) ended = true;
  return CUDA_SUCCESS;
}

CUresult reset_primary(int device) {
  const std::lock_guard lock(primaries().mutex);
  destroy_primary(primaries().of_device[static_cast<size_t>(device)]);
  return CUDA_SUCCESS;
}

void primary_state(int device, unsigned int* flags, int* active) {
  const std::lock_guard lock(primaries().mutex);
  const Primary& primary = primaries().of_device[static_cast<size_t>(device)];
  *flags = primary.flags;
  *active = primary.context != nullptr ? 1 : 0;
}

CUresult set_primary_flags(int device, unsigned int flags) {
  const std::lock_guard lock(primaries().mutex);
  Primary& primary = primaries().of_device[static_cast<size_t>(device)];
  primary.flags = flags;
  if (primary.context != nullptr) primary.context->flags = flags;
  return CUDA_SUCCESS;
}

void poison(CUcontext context, CUresult error) {
  CUresult none = CUDA_SUCCESS;
  context->error.compare_exchange_strong(none, error);
}

}  // namespace kernloop::cuda::fake
