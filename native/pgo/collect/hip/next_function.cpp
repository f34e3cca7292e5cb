#include "interpose/row.h"
#include "pgo/collect/hip/hip_api.h"

namespace kernloop::pgo::hip {

void* next_function(const char* name) {
  interpose::Row* row = interpose::find_row(name);
  return row ? interpose::next_of(*row) : interpose::next_definition(name, "libamdhip64");
}

void* next_function(const char* name, std::atomic<void*>& known) {
  void* found = known.load(std::memory_order_acquire);
  if (!found) known.store(found = next_function(name), std::memory_order_release);
  return found;
}

}  // namespace kernloop::pgo::hip
