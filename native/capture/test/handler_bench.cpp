// Measures the agent's packet handler by itself: a dispatch of an unwanted kernel goes through it, to a writer that
// does nothing. No device is involved. Needs a recorder: --socket PATH. Prints one JSON object.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "capture/hsa/agent.h"
#include "capture/hsa/dispatch_handler.h"

namespace kernloop::capture {
namespace {

uint64_t written = 0;
void count_packets(const void*, uint64_t count) {
  written += count;
}

int measure(const char* socket) {
  auto recorder = RecorderClient::connect(socket, {}, kDefaultRingBytes);
  if (!recorder) {
    std::fprintf(stderr, "%s\n", recorder.error().message.c_str());
    return 5;
  }
  Agent& agent = Agent::start(HsaOriginals{}, std::move(*recorder), "");
  QueueState& queue = agent.queues.add();
  queue.agent = &agent;

  hsa_kernel_dispatch_packet_t packet{};
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  constexpr uint64_t kDispatches = 2'000'000, kKernels = 64;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < kDispatches; ++i) {
    packet.kernel_object = 0x500000001000 + i % kKernels * 64;
    on_packets(&packet, 1, i, &queue, count_packets);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  std::printf("{\"dispatches\": %llu, \"handler_ns\": %.1f, \"something_left\": %s}\n",
              static_cast<unsigned long long>(written), taken.count() / static_cast<double>(kDispatches),
              agent.selections.anything_left() ? "true" : "false");
  agent.finish();
  return written == kDispatches ? 0 : 1;
}

}  // namespace
}  // namespace kernloop::capture

int main(int count, char** arguments) {
  if (count != 3 || std::strcmp(arguments[1], "--socket") != 0) {
    std::fprintf(stderr, "usage: capture_handler_bench --socket PATH\n");
    return 2;
  }
  return kernloop::capture::measure(arguments[2]);
}
