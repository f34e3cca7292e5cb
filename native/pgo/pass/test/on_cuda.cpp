// pgo_pass_on_cuda PLAIN.cubin NAME…, with NAME.cubin and NAME.json: the kernels of kernels.hip on an NVIDIA GPU, held
// against the oracles. Lanes have to be exact; lanes of a warp need not come to a block together there, so waves are at
// least the oracle's, and uniform lanes are printed beside the oracle's. Then the time that counting costs, compared
// with the cubin that was not instrumented. Built to be carried to a machine that has a GPU and no compiler.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "cuda/driver.h"
#include "oracle.h"
#include "unit_counts.h"

namespace {

using namespace kernloop::pgo_pass;
using namespace kernloop::cuda;
using nlohmann::json;

std::shared_ptr<const Driver> driver;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("error: %s: %s\n", what, driver->describe(result).c_str());
  std::exit(4);
}
#define CUDA(function, ...) check(driver->function(__VA_ARGS__), #function)

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::printf("error: %s cannot be read\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

class Module {
 public:
  explicit Module(const std::string& path) : bytes_(contents(path)) { CUDA(cuModuleLoadData, &module_, bytes_.data()); }

  void launch(const std::string& name, const Launch& launch, CUdeviceptr in, CUdeviceptr out) {
    CUfunction function{};
    CUDA(cuModuleGetFunction, &function, module_, name.c_str());
    unsigned n = launch.n, count = launch.count;
    void* arguments[] = {&in, &out, &n, &count};
    CUDA(cuLaunchKernel, function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block, 1, 1, 0, nullptr,
         arguments, nullptr);
  }
  template <typename T>
  std::vector<T> variable(const std::string& name) {
    const auto [address, size] = place(name);
    std::vector<T> result(size / sizeof(T));
    CUDA(cuMemcpyDtoH, result.data(), address, size);
    return result;
  }
  void clear(const std::string& name) {
    const auto [address, size] = place(name);
    CUDA(cuMemsetD8, address, 0, size);
  }

 private:
  std::pair<CUdeviceptr, size_t> place(const std::string& name) {
    CUdeviceptr address{};
    size_t size = 0;
    CUDA(cuModuleGetGlobal, &address, &size, module_, name.c_str());
    return {address, size};
  }
  std::vector<char> bytes_;
  CUmodule module_{};
};

struct Buffers {
  static constexpr unsigned words = 1 << 26;
  CUdeviceptr in{}, out{};
  Buffers() {
    CUDA(cuMemAlloc, &in, words * sizeof(unsigned));
    CUDA(cuMemAlloc, &out, words * sizeof(unsigned));
    std::vector<unsigned> values(words);
    for (unsigned i = 0; i < words; ++i) values[i] = input(i);
    CUDA(cuMemcpyHtoD, in, values.data(), words * sizeof(unsigned));
  }
};

struct Tally {
  uint64_t blocks = 0, exact = 0, waves = 0, oracle_waves = 0, lanes = 0, uniform = 0, oracle_uniform = 0,
           fewer_waves = 0;
};

void compare(const Visits& counted, const Visits& wanted, bool has_waves, Tally& tally, const std::string& what) {
  ++tally.blocks;
  if (counted.lanes == wanted.lanes) {
    ++tally.exact;
  } else {
    std::printf("differs: %s: %llu lanes, not %llu\n", what.c_str(), static_cast<unsigned long long>(counted.lanes),
                static_cast<unsigned long long>(wanted.lanes));
  }
  tally.lanes += wanted.lanes;
  tally.uniform += counted.uniform;
  tally.oracle_uniform += wanted.uniform;
  if (!has_waves) return;
  tally.waves += counted.waves;
  tally.oracle_waves += wanted.waves;
  if (counted.waves < wanted.waves) ++tally.fewer_waves;
}

bool countsAreExact(const std::string& cubin, const json& map, const Buffers& buffers) {
  Module module(cubin);
  const std::string cuid = map["cuid"];
  const auto description = Description::read(module.variable<char>("__kernloop_prf_" + cuid));
  if (!description) {
    std::printf("error: __kernloop_prf_%s is not what its header says\n", cuid.c_str());
    return false;
  }
  const unsigned one_in = description->header.one_in;
  std::printf("\n%s: %s, wave size %u, one workgroup in %u counts\n", cubin.c_str(), description->header.architecture,
              description->header.wave_size, one_in);
  std::printf("%-14s %8s %8s %10s %10s %9s %9s\n", "kernel", "blocks", "exact", "waves", "oracle", "uniform", "oracle");
  Tally total;
  for (const Oracle& oracle : oracles()) {
    Tally tally;
    for (const Launch& launch : launchesToCount()) {
      for (const char* array : {"__profc_all_", "__profu_all_", "__profw_all_"}) module.clear(array + cuid);
      module.launch(oracle.kernel, launch, buffers.in, buffers.out);
      CUDA(cuCtxSynchronize);
      Expected expected;
      expect(expected, oracle, launch, 32,
             [&](const std::array<unsigned, 3>& group) { return isChosen(group[0], group[1], group[2], one_in); });
      const auto lanes = module.variable<uint64_t>("__profc_all_" + cuid);
      const auto uniform = module.variable<uint64_t>("__profu_all_" + cuid);
      const auto waves = module.variable<uint64_t>("__profw_all_" + cuid);
      for (size_t i = 0; i < description->functions.size(); ++i) {
        const json& function = map["functions"][i];
        const std::string symbol = function["symbol"];
        if (!expected.contains(symbol)) continue;
        FunctionVisits counted = visitsOf(function, *description, i, {lanes, uniform, waves});
        const std::string what = inWords(oracle, launch) + ": " + symbol;
        for (const auto& [block, visits] : counted.blocks)
          compare(visits, expected[symbol].blocks[block], !expected[symbol].lanes_only, tally,
                  what + " block " + std::to_string(block));
        for (const auto& [order, visits] : counted.selects)
          compare(visits, expected[symbol].selects[order], false, tally, what + " select " + std::to_string(order));
      }
    }
    const auto share = [&](uint64_t part) { return tally.lanes == 0 ? 1.0 : double(part) / double(tally.lanes); };
    std::printf("%-14s %8llu %8llu %10llu %10llu %8.1f%% %8.1f%%\n", oracle.kernel.c_str(),
                static_cast<unsigned long long>(tally.blocks), static_cast<unsigned long long>(tally.exact),
                static_cast<unsigned long long>(tally.waves), static_cast<unsigned long long>(tally.oracle_waves),
                100 * share(tally.uniform), 100 * share(tally.oracle_uniform));
    total.blocks += tally.blocks;
    total.exact += tally.exact;
    total.fewer_waves += tally.fewer_waves;
  }
  std::printf("lanes of %llu of %llu blocks and selects exact; %llu with fewer waves than the oracle\n",
              static_cast<unsigned long long>(total.exact), static_cast<unsigned long long>(total.blocks),
              static_cast<unsigned long long>(total.fewer_waves));
  return total.exact == total.blocks && total.blocks != 0;
}

// Each launch in microseconds, by events.
class Times {
 public:
  Times() {
    CUDA(cuEventCreate, &start_, 0);
    CUDA(cuEventCreate, &end_, 0);
  }
  void launch(Module& module, const std::string& kernel, const Launch& launch, const Buffers& buffers) {
    CUDA(cuEventRecord, start_, nullptr);
    module.launch(kernel, launch, buffers.in, buffers.out);
    CUDA(cuEventRecord, end_, nullptr);
    CUDA(cuEventSynchronize, end_);
    float milliseconds = 0;
    CUDA(cuEventElapsedTime, &milliseconds, start_, end_);
    samples_.push_back(milliseconds * 1000);
  }
  void forget() { samples_.clear(); }
  // If launches are sampled, only the mean contains those that count.
  float mean() const { return std::accumulate(samples_.begin(), samples_.end(), 0.0f) / float(samples_.size()); }
  float median() {
    std::sort(samples_.begin(), samples_.end());
    return samples_[samples_.size() / 2];
  }

 private:
  CUevent start_{}, end_{};
  std::vector<float> samples_;
};

void costs(const std::string& plain, const std::vector<std::string>& counting, const Buffers& buffers) {
  // Long ones and a short one: 4096 groups of 256 threads.
  const std::pair<const char*, Launch> cases[] = {{"hot_and_cold", {{4096, 1, 1}, 256, 1000000, 1000}},
                                                  {"own_trips", {{4096, 1, 1}, 256, 1000000, 500}},
                                                  {"loops", {{4096, 1, 1}, 256, 1000000, 200}},
                                                  {"by_workgroup", {{4096, 1, 1}, 256, 1000000, 1000}},
                                                  {"calling", {{4096, 1, 1}, 256, 1000000, 1}},
                                                  {"reduction", {{4096, 1, 1}, 256, 1000000, 1}},
                                                  {"tail", {{4096, 1, 1}, 256, 1000000, 1}}};
  std::printf("\nmicroseconds a launch of 4096 groups of 256 threads, in 16 rounds of 32: mean (and median)\n");
  std::printf("%-14s %17s", "kernel", "plain");
  for (const std::string& path : counting) std::printf(" %33s", path.substr(path.rfind('/') + 1).c_str());
  std::printf("\n");
  std::vector<std::unique_ptr<Module>> modules;
  modules.push_back(std::make_unique<Module>(plain));
  for (const std::string& path : counting) modules.push_back(std::make_unique<Module>(path));
  // Sparse sampling is sparse after these.
  for (int i = 0; i < 4096; ++i) modules[0]->launch("tail", cases[6].second, buffers.in, buffers.out);
  for (const auto& [kernel, launch] : cases) {
    std::vector<Times> times(modules.size());
    for (int round = -1; round < 16; ++round) {
      for (size_t i = 0; i < modules.size(); ++i) {
        if (round == 0) times[i].forget();
        for (int one = 0; one < 32; ++one) times[i].launch(*modules[i], kernel, launch, buffers);
      }
    }
    const float mean = times[0].mean(), median = times[0].median();
    std::printf("%-14s %7.1f (%7.1f)", kernel, mean, median);
    for (size_t i = 1; i < modules.size(); ++i)
      std::printf(" %8.1f %+7.1f%% (%+7.1f%%)      ", times[i].mean(), 100 * (times[i].mean() / mean - 1),
                  100 * (times[i].median() / median - 1));
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::printf("usage: %s PLAIN.cubin NAME…\n", words[0]);
    return 2;
  }
  auto loaded = Driver::load();
  if (!loaded) {
    std::printf("error: %s\n", loaded.error().message.c_str());
    return 5;
  }
  driver = loaded.value();
  if (const auto started = kernloop::cuda::initialise(*driver); !started) {
    std::printf("error: %s\n", started.error().message.c_str());
    return 5;
  }
  CUdevice device{};
  CUcontext context{};
  CUDA(cuDeviceGet, &device, 0);
  CUDA(cuDevicePrimaryCtxRetain, &context, device);
  CUDA(cuCtxSetCurrent, context);
  char name[256] = {};
  CUDA(cuDeviceGetName, name, sizeof name - 1, device);
  std::printf("%s, driver for CUDA %d\n", name, driver->version);

  const Buffers buffers;
  bool exact = true;
  std::vector<std::string> cubins;
  for (int i = 2; i < count; ++i) {
    const std::string base = words[i];
    // A cubin without a map is only timed: which of its launches count is unknown here.
    if (std::ifstream map(base + ".json"); map) exact &= countsAreExact(base + ".cubin", json::parse(map), buffers);
    cubins.push_back(base + ".cubin");
  }
  costs(words[1], cubins, buffers);
  std::printf("\n%s\n", exact ? "PASS: every lane total is the oracle's" : "FAIL: lane totals differ");
  return exact ? 0 : 1;
}
