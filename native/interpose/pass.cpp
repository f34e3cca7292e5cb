#include "interpose/pass.h"

#include "interpose/row.h"

namespace kernloop::interpose {
namespace {

static_assert(sizeof kernloop_pass_result == 4);  // read by pass.S

std::atomic<bool> g_used{false};

struct Pass {                   // laid out by pass.S
  std::atomic<void*> function;  // that the gate calls; nullptr until the first call
  Row* row;
  void* instead;  // nullptr: the next definition
};

// For an app that tests for the library by a weak symbol, and finds a gate.
int absent() {
  return kernloop_pass_absent;
}

}  // namespace

bool are_gates_used() {
  return g_used.load(std::memory_order_acquire);
}

}  // namespace kernloop::interpose

// The function that the gate calls now; never nullptr.
extern "C" __attribute__((visibility("hidden"))) void* kernloop_interpose_function(kernloop::interpose::Pass* pass) {
  using namespace kernloop::interpose;
  void* next = next_of(*pass->row);
  if (next == nullptr) return reinterpret_cast<void*>(&absent);
  void* function = pass->instead != nullptr ? pass->instead : next;
  g_used.store(true, std::memory_order_release);
  pass->function.store(function, std::memory_order_release);
  return function;
}
