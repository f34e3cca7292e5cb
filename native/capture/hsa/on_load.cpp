// The two functions that an HSA runtime calls in a tool named by HSA_TOOLS_LIB.
#include <cstdlib>

#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

uint64_t ring_bytes() {
  // For tests that want a full ring; the default suits everybody else.
  const uint64_t asked = std::strtoull(environment("KERNLOOP_RING_BYTES").c_str(), nullptr, 0);
  const uint64_t size = asked != 0 ? asked & ~uint64_t{4095} : kDefaultRingBytes;
  return std::clamp<uint64_t>(size, 4ull << 20, kMaxRingBytes);
}

bool has_what_it_takes(const HsaOriginals& hsa) {
  return hsa.amd.hsa_amd_queue_intercept_create_fn != nullptr &&
         hsa.amd.hsa_amd_queue_intercept_register_fn != nullptr && hsa.amd.hsa_amd_signal_async_handler_fn != nullptr &&
         hsa.core.hsa_executable_iterate_agent_symbols_fn != nullptr;
}

void load(HsaApiTable& table) {
  const std::string socket = environment("KERNLOOP_RECORDER_SOCKET");
  if (socket.empty()) return;
  const std::string log_file = environment("KERNLOOP_LOG_FILE");
  Log log;
  log.open_as(log_file);

  // A runtime that was started again may still have our functions in its tables: the originals are then known from
  // before.
  const Agent* before = Agent::get();
  HsaOriginals hsa;
  const bool known = before != nullptr && hooks_installed(table);
  if (known) hsa = before->hsa;
  const bool usable = known || (hsa.copy_from(table) && has_what_it_takes(hsa));

  Welcome welcome;
  std::string error;
  auto recorder = RecorderClient::connect(socket, ring_bytes(), &welcome, &error);
  if (recorder == nullptr) {
    log.alarm("this program is not captured: %s", error.c_str());
    return;
  }
  if (!usable) {
    const char* text = "this HSA runtime's tables (version or contents) are not ones that the agent can intercept";
    log.alarm("this program is not captured: %s", text);
    recorder->send(FrameType::kNote, NoteMessage{"RUNTIME_UNSUPPORTED", text}.encode());
    recorder->send(FrameType::kGoodbye, Encoded());
    return;
  }
  Agent::start(hsa, std::move(recorder), welcome, log_file);
  if (known) return;
  install_memory_hooks(table);
  install_copy_hooks(table);
  install_code_hooks(table);
  install_queue_hooks(table);
}

}  // namespace
}  // namespace kernloop::capture

#define KERNLOOP_TOOL_EXPORT extern "C" __attribute__((visibility("default")))

// True whatever happens: the app runs, captured or not.
KERNLOOP_TOOL_EXPORT bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  try {
    if (table != nullptr) kernloop::capture::load(*table);
  } catch (...) {
  }
  return true;
}

KERNLOOP_TOOL_EXPORT void OnUnload() {
  using kernloop::capture::Agent;
  if (Agent* agent = Agent::get()) {
    agent->guarded([agent] { agent->finish(); });
  }
}
