// The app's call to launch a graph is made to launch another one: on entry, CUPTI shows where the driver will take the
// call's arguments from. No document promises that, so it is tried before it is relied on.
#pragma once

#include <optional>

#include "cuda/cupti_abi.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// In the callback before a call that launches a graph.
void launch_instead(const cuda::CUpti_CallbackData& call, cuda::CUgraphExec exec);

class Redirection {
 public:
  // Tried once, by a graph of one node, on a GPU that has nothing else to do.
  bool works(const cuda::Driver& driver, cuda::CUstream stream);

 private:
  std::optional<bool> works_;
};

}  // namespace kernloop::capture
