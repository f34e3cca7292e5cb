// The symbols of libcuda.so.1: each jumps to the traced form of its function. The jump keeps the arguments, which lets
// one table serve all signatures.
#include "fakes/cuda/exports.h"

#include "fakes/cuda/api_call.h"

namespace kernloop::cuda::fake {

namespace {

// The function with the calling thread's default stream in place of stream 0.
template <auto Function>
struct PerThread;

template <typename... Args, CUresult (*Function)(Args...)>
struct PerThread<Function> {
  static CUresult call(Args... args) { return Function(replaced(args)...); }

 private:
  template <typename T>
  static T replaced(T value) {
    return value;
  }
  static CUstream replaced(CUstream stream) { return stream == nullptr ? CU_STREAM_PER_THREAD : stream; }
  static const CUlaunchConfig* replaced(const CUlaunchConfig* config) {
    thread_local CUlaunchConfig copy;
    copy = *config;
    copy.hStream = replaced(copy.hStream);
    return &copy;
  }
};

}  // namespace

extern "C" {
#define FUNCTION(member, symbol, older, presence, parameters)                                \
  __attribute__((used, visibility("hidden"))) CUresult(*kernloop_fake_##member) parameters = \
      &Traced<&member, callback_id(symbol)>::call;
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
#define PER_THREAD(member, symbol)                                                                  \
  __attribute__((used, visibility("hidden"))) decltype(&member) kernloop_fake_per_thread_##member = \
      &Traced<&PerThread<&member>::call, callback_id(symbol), &member>::call;
#include "fakes/cuda/per_thread_functions.def"
#undef PER_THREAD
}

// A second label, as the app may have a function of the symbol's name in front of it.
#define EXPORTED_FUNCTION(symbol, label, function)                                                          \
  asm(".text\n.globl " symbol "\n.type " symbol ", @function\n.globl " label "\n.hidden " label "\n" symbol \
      ":\n" label ": jmp *" function "(%rip)\n");
#define FUNCTION(member, symbol, older, presence, parameters) \
  EXPORTED_FUNCTION(symbol, "kernloop_fake_export_" #member, "kernloop_fake_" #member)
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
#define PER_THREAD(member, symbol) \
  EXPORTED_FUNCTION(symbol, "kernloop_fake_per_thread_export_" #member, "kernloop_fake_per_thread_" #member)
#include "fakes/cuda/per_thread_functions.def"
#undef PER_THREAD
#define FIRST(member, symbol, later) \
  EXPORTED_FUNCTION(symbol, "kernloop_fake_first_export_" #member, "kernloop_fake_" #member)
#include "fakes/cuda/first_functions.def"
#undef FIRST

extern "C" {
#define FUNCTION(member, symbol, older, presence, parameters) \
  __attribute__((visibility("hidden"))) extern char kernloop_fake_export_##member[];
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
#define PER_THREAD(member, symbol) \
  __attribute__((visibility("hidden"))) extern char kernloop_fake_per_thread_export_##member[];
#include "fakes/cuda/per_thread_functions.def"
#undef PER_THREAD
#define FIRST(member, symbol, later) \
  __attribute__((visibility("hidden"))) extern char kernloop_fake_first_export_##member[];
#include "fakes/cuda/first_functions.def"
#undef FIRST
}

void* find_export(std::string_view name, int version, bool per_thread) {
#define FIRST(member, symbol, later) \
  if (name == symbol && version < later) return kernloop_fake_first_export_##member;
#include "fakes/cuda/first_functions.def"
#undef FIRST
#define PER_THREAD(member, symbol) \
  if (name == symbol || (per_thread && name == #member)) return kernloop_fake_per_thread_export_##member;
#include "fakes/cuda/per_thread_functions.def"
#undef PER_THREAD
#define FUNCTION(member, symbol, older, presence, parameters) \
  if (name == #member || name == symbol) return kernloop_fake_export_##member;
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
  return nullptr;
}

}  // namespace kernloop::cuda::fake
