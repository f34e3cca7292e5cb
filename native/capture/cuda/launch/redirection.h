// The app's call to launch a graph is made to launch another one: on entry, CUPTI shows the memory from which the
// driver will take the call's arguments. That is undocumented, so it is tested before it is used.
#pragma once

#include <optional>

#include "abi/cuda/cupti.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// Called in the callback before a call that launches a graph.
void launch_instead(const cuda::CUpti_CallbackData& call, cuda::CUgraphExec exec);

class Redirection {
 public:
  // Tested once, by a graph of one node, on an idle GPU.
  bool works(const cuda::Driver& driver, cuda::CUstream stream);

 private:
  std::optional<bool> works_;
};

}  // namespace kernloop::capture
