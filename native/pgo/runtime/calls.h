// Shared code of the intercepted functions of all runtimes, for this process's Runtime.
#pragma once

#include "pgo/collect/log.h"
#include "pgo/runtime/runtime.h"

namespace kernloop::pgo::runtime {

// No exception may leave through a C interface, and no failure of ours may stop the app.
template <typename Work>
void with_runtime(Work work) {
  try {
    if (Runtime* runtime = Runtime::instance()) work(*runtime);
  } catch (const std::exception& problem) {
    warn(std::string("the app runs as it compiled itself: ") + problem.what());
  } catch (...) {
    warn("the app runs as it compiled itself");
  }
}

template <typename Launch>
int launch_function(void* function, Launch launch) {
  bool launched = false;
  int error = 0;
  const auto once = [&](void* chosen) {
    launched = true;
    return error = launch(chosen);
  };
  with_runtime([&](Runtime& runtime) { error = runtime.launch(function, once); });
  return launched ? error : launch(function);
}

}  // namespace kernloop::pgo::runtime
