// The two functions that an HSA runtime calls in a tool named by HSA_TOOLS_LIB.
#include <exception>

#include "capture/hsa/attach.h"

#define KERNLOOP_TOOL_EXPORT extern "C" __attribute__((visibility("default")))

// Always true: the app runs, captured or not.
KERNLOOP_TOOL_EXPORT bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  try {
    if (table != nullptr) kernloop::capture::attach(*table);
  } catch (const std::exception&) {
    // No memory.
  }
  return true;
}

KERNLOOP_TOOL_EXPORT void OnUnload() {
  kernloop::capture::detach();
}
