// pgo_pass_overhead TARGET PLAIN.co NAME.co…: executed wave-instructions of kernels.hip on the software GPU, without
// counters and with. One line of JSON a kernel. bench/pgo-overhead.mjs compiles the kernels.
#include <cstdio>
#include <map>

#include "oracle.h"
#include "softgpu/hsa/tests/client.h"

namespace {

using namespace kernloop::pgo_pass;

class Device : public kernloop::softgpu::HsaTest {
 public:
  void TestBody() override {}
  void start() { SetUp(); }

  hsa_executable_t loaded(const std::string& path) {
    codes.push_back(kernloop::softgpu::read_file(path));
    hsa_executable_t result{};
    load(codes.back(), &result);
    return result;
  }
  uint64_t waveInstructions(hsa_executable_t from, const std::string& kernel, const Launch& launch) {
    if (in == nullptr) {
      in = device(1 << 21), out = device(1 << 21);
      for (unsigned i = 0; i < 1 << 21; ++i) in[i] = input(i);
    }
    hsa_signal_t done = signal(1);
    auto sent = packet(kernel_of(from, kernel), kernargs(in, out, launch.n, launch.count), done, launch.threads(),
                       static_cast<uint16_t>(launch.block));
    sent.group_segment_size = 1024;
    sent.private_segment_size = 16384;
    if (one_queue == nullptr) one_queue = queue();
    enqueue(one_queue, sent);
    if (wait_zero(done, 10 * kernloop::softgpu::kLong) != 0 || errors.count != 0) return 0;
    const auto told = report(done);
    waves = told.waves;
    return told.wave_instructions;
  }

  uint64_t waves = 0;

 private:
  std::vector<std::vector<char>> codes;
  uint32_t *in = nullptr, *out = nullptr;
  hsa_queue_t* one_queue = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: %s TARGET PLAIN.co NAME.co…\n", words[0]);
    return 2;
  }
  setenv("KERNLOOP_SOFTGPU", words[1], 1);
  Device device;
  device.start();
  std::vector<hsa_executable_t> builds;
  for (int i = 2; i < count; ++i) builds.push_back(device.loaded(words[i]));
  // From long waves to short ones: the number of rounds is the kernel's third argument.
  const std::pair<const char*, unsigned> cases[] = {{"hot_and_cold", 400},
                                                    {"hot_and_cold", 100},
                                                    {"spilling", 100},
                                                    {"own_trips", 400},
                                                    {"own_trips", 100},
                                                    {"loops", 60},
                                                    {"loops", 15},
                                                    {"by_workgroup", 300},
                                                    {"by_workgroup", 80},
                                                    {"search", 12},
                                                    {"reduction", 1},
                                                    {"calling", 1},
                                                    {"many_ways", 1},
                                                    {"selects", 1},
                                                    {"nested", 1},
                                                    {"either", 1},
                                                    {"tail", 1}};
  for (const auto& [kernel, rounds] : cases) {
    const Launch launch{{512, 1, 1}, 256, 512 * 256 - 40, rounds};
    std::printf("{\"kernel\":\"%s\",\"rounds\":%u,\"wave_instructions\":[", kernel, rounds);
    for (size_t i = 0; i < builds.size(); ++i) {
      const uint64_t executed = device.waveInstructions(builds[i], kernel, launch);
      if (executed == 0) {
        std::fprintf(stderr, "error: %s of %s did not run\n", kernel, words[i + 2]);
        return 4;
      }
      std::printf("%s%llu", i == 0 ? "" : ",", static_cast<unsigned long long>(executed));
    }
    std::printf("],\"waves\":%llu}\n", static_cast<unsigned long long>(device.waves));
  }
}
