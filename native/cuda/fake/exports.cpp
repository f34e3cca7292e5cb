// The symbols of libcuda.so.1: each jumps to the traced form of its function. The jump keeps the arguments as they are,
// so that one table serves all signatures.
#include "cuda/fake/exports.h"

#include "cuda/fake/api_call.h"

namespace kernloop::cuda::fake {

extern "C" {
#define FUNCTION(member, symbol, older, presence, parameters)                                \
  __attribute__((used, visibility("hidden"))) CUresult(*kernloop_fake_##member) parameters = \
      &Traced<&member, callback_id(symbol)>::call;
#include "cuda/driver_functions.def"
#undef FUNCTION
}

#define FUNCTION(member, symbol, older, presence, parameters) \
  asm(".text\n.globl " symbol "\n.type " symbol ", @function\n" symbol ": jmp *kernloop_fake_" #member "(%rip)\n");
#include "cuda/driver_functions.def"
#undef FUNCTION

void* find_export(std::string_view name) {
#define FUNCTION(member, symbol, older, presence, parameters) \
  if (name == #member || name == symbol) return reinterpret_cast<void*>(kernloop_fake_##member);
#include "cuda/driver_functions.def"
#undef FUNCTION
  return nullptr;
}

}  // namespace kernloop::cuda::fake
