#include "capture/hsa/attach.h"

#include "capture/core/connection.h"
#include "capture/core/this_process.h"
#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

bool has_what_it_takes(const HsaOriginals& hsa) {
  return hsa.amd.hsa_amd_queue_intercept_create_fn != nullptr &&
         hsa.amd.hsa_amd_queue_intercept_register_fn != nullptr && hsa.amd.hsa_amd_signal_async_handler_fn != nullptr &&
         hsa.core.hsa_executable_iterate_agent_symbols_fn != nullptr;
}

}  // namespace

void attach(HsaApiTable& table) {
  Agent* before = Agent::get();
  const bool known = before != nullptr && hooks_installed(table);
  if (known && before->active()) return;
  const auto* inside = table.core_ != nullptr ? reinterpret_cast<const void*>(table.core_->hsa_init_fn) : nullptr;
  Connection connection = connect_to_recorder(library_of(inside));
  if (connection.recorder == nullptr) return;

  // A runtime that was started again may still have our functions in its tables: the originals are then those of
  // before.
  HsaOriginals hsa;
  if (known) hsa = before->hsa;
  const bool usable = known || (hsa.copy_from(table) && has_what_it_takes(hsa));

  if (!usable) {
    return give_up(connection, "RUNTIME_UNSUPPORTED",
                   "this HSA runtime's tables (version or contents) are not ones that the agent can intercept");
  }
  const Agent& agent = Agent::start(hsa, std::move(connection.recorder), connection.log_file);
  if (known) return;
  install_memory_hooks(table);
  install_copy_hooks(table);
  install_signal_hooks(table, agent.profiling());
  install_code_hooks(table);
  install_queue_hooks(table);
  install_index_hooks(table);
}

void detach() {
  if (Agent* agent = Agent::get()) {
    agent->guarded([agent] { agent->finish(); });
  }
}

}  // namespace kernloop::capture
