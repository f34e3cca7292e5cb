// Entry point that the CUDA driver calls in the library named by CUDA_INJECTION64_PATH, while it initialises itself.
#include "capture/core/connection.h"
#include "capture/cuda/agent.h"

namespace kernloop::capture {
namespace {

void give_up_on(const Connection& connection, const Error& error) {
  const bool no_cupti = error.code.starts_with("ENVIRONMENT_CUPTI");
  give_up(connection, no_cupti ? "CUPTI_MISSING" : error.code.c_str(), error.message + "; " + error.hint);
}

void load() {
  Connection connection = connect_to_recorder({});
  if (connection.recorder == nullptr) return;
  auto driver = cuda::Driver::load();
  if (!driver) return give_up_on(connection, driver.error());
  auto cupti = cuda::Cupti::load((*driver)->version);
  if (!cupti) return give_up_on(connection, cupti.error());
  (void)CudaAgent::start(std::move(*driver), std::move(*cupti), std::move(connection.recorder), connection.log_file);
}

}  // namespace
}  // namespace kernloop::capture

// Always true: the app runs, captured or not.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  try {
    kernloop::capture::load();
  } catch (...) {
  }
  return 1;
}
