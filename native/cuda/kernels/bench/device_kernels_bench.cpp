// Our device kernels on a real GPU: first whether their results equal the host's, then their speed beside the driver's
// own device-to-device copy. `device_kernels_bench [BYTES, 4 GiB if not given]`; the last line is JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "capture/core/pointer_scan.h"
#include "cuda/kernels/device_kernels.h"

namespace kernloop::cuda {
namespace {

constexpr uint64_t kMiB = 1 << 20, kChunk = 4 * kMiB, kCheckBytes = 32 * kMiB;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "device_kernels_bench: %s\n", why.c_str());
  std::exit(5);
}
void must(const Status& status) {
  if (!status) stop(status.error().code + ": " + status.error().message);
}

std::vector<uint64_t> random_words(uint64_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> words(bytes / 8);
  for (uint64_t& word : words) word = random();
  return words;
}

// Targets of a program with many allocations: 2 MiB granules, of which every other one is allocated.
std::vector<AddressRange> spread_targets(size_t count, uint64_t unit) {
  std::vector<AddressRange> targets;
  for (size_t i = 0; i < count; ++i) targets.push_back({0x7f0000000000 + 2 * i * unit, unit});
  return targets;
}

std::vector<uint32_t> hits_on_host(std::span<const uint8_t> bytes, const std::vector<AddressRange>& targets) {
  capture::AllocationList list(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    list[i].base = targets[i].base;
    list[i].size = targets[i].size;
  }
  std::set<uint32_t> hits;
  capture::PointerScan(list).feed(bytes, [&](size_t index) { hits.insert(static_cast<uint32_t>(index)); });
  return {hits.begin(), hits.end()};
}

class Bench {
 public:
  Bench(const Driver& driver, DeviceKernels& kernels, uint64_t bytes)
      : driver_(driver), kernels_(kernels), bytes_(bytes), one_(allocate()), two_(allocate()) {}

  int run(const std::string& device, double load_ms) {
    check_everything();
    std::printf("%-44s %12s %10s %10s\n", "what", "bytes", "ms", "GB/s");
    time_everything();
    std::printf("{\"device\":\"%s\",\"driver\":%d,\"load_ms\":%.1f,\"checks\":%d,\"failed\":%d,\"rows\":[%s]}\n",
                device.c_str(), driver_.version, load_ms, checks_, failed_, rows_.c_str());
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void ok(CUresult result) const {
    if (result != CUDA_SUCCESS) stop(driver_.describe(result));
  }
  CUdeviceptr allocate() const {
    CUdeviceptr memory;
    ok(driver_.cuMemAlloc(&memory, bytes_ + 4096));
    return memory;
  }
  // Repeats the words over the whole of the memory.
  void set(CUdeviceptr memory, const std::vector<uint64_t>& words) const {
    const uint64_t block = words.size() * 8;
    ok(driver_.cuMemcpyHtoD(memory, words.data(), std::min(block, bytes_)));
    for (uint64_t at = block; at < bytes_; at += block)
      ok(driver_.cuMemcpyDtoDAsync(memory + at, memory, std::min(block, bytes_ - at), nullptr));
    ok(driver_.cuCtxSynchronize());
  }
  void check(bool right, const std::string& what) {
    ++checks_;
    if (right) return;
    ++failed_;
    std::printf("WRONG: %s\n", what.c_str());
  }

  void check_checksums(const std::vector<uint64_t>& words) {
    const auto* host = reinterpret_cast<const uint8_t*>(words.data());
    for (const uint64_t start : {0, 1, 8, 15, 16}) {
      for (const uint64_t size : {uint64_t{1}, uint64_t{17}, uint64_t{65537}, kChunk, kCheckBytes - 21}) {
        for (const uint64_t chunk : {uint64_t{4096}, kChunk, kCheckBytes}) {
          const std::string what = "checksums from " + std::to_string(start) + ", bytes " + std::to_string(size);
          std::vector<Checksum128> sums((size + chunk - 1) / chunk);
          must(kernels_.checksums(one_ + start, size, chunk, sums));
          bool right = true;
          for (uint64_t i = 0; i < sums.size(); ++i)
            right = right && sums[i] == checksum_on_host({host + start + i * chunk, std::min(chunk, size - i * chunk)});
          check(right, what);
        }
      }
    }
  }

  void check_pointers() {
    std::mt19937_64 random(3);
    for (const size_t count : {1, 100, 1000, 70000}) {
      const auto targets = spread_targets(count, count > 10000 ? 512 : 2 * kMiB);
      std::vector<uint64_t> words = random_words(kCheckBytes, count);
      auto* host = reinterpret_cast<uint8_t*>(words.data());
      for (size_t i = 0; i < count; ++i) {
        const AddressRange& target = targets[random() % count];
        const uint64_t tag = random() % 4 == 0 ? random() << 48 : 0;
        const uint64_t value = (target.base + (random() % 3 == 0 ? 0 : random() % (2 * target.size))) | tag;
        std::memcpy(host + random() % (kCheckBytes - 8), &value, 8);
      }
      set(one_, words);
      for (const uint64_t start : {0, 3, 8}) {
        std::vector<uint32_t> hits;
        must(kernels_.find_pointers(one_ + start, kCheckBytes - start, targets, &hits));
        check(hits == hits_on_host({host + start, kCheckBytes - start}, targets),
              "pointers to " + std::to_string(count) + " targets from " + std::to_string(start));
      }
    }
  }

  void check_restore() {
    std::mt19937_64 random(4);
    std::vector<uint64_t> here = random_words(kCheckBytes, 5), there = here, back(here.size());
    auto* a = reinterpret_cast<uint8_t*>(here.data());
    auto* b = reinterpret_cast<uint8_t*>(there.data());
    for (int i = 0; i < 10000; ++i) b[random() % kCheckBytes] ^= static_cast<uint8_t>(random());
    for (const uint64_t start : {0, 1, 8}) {
      for (const uint64_t other : {0, 1, 8}) {
        set(one_, here);
        set(two_, there);
        const uint64_t size = kCheckBytes - 16;
        uint64_t differing = 0, first = UINT64_MAX, changed = 0;
        for (uint64_t i = size; i-- > 0;)
          if (a[start + i] != b[other + i]) ++differing, first = i;
        Comparison comparison;
        must(kernels_.compare(one_ + start, two_ + other, size, &comparison));
        must(kernels_.restore(one_ + start, two_ + other, size, &changed));
        ok(driver_.cuMemcpyDtoH(back.data(), one_, kCheckBytes));
        const auto* c = reinterpret_cast<const uint8_t*>(back.data());
        const std::string what = " from " + std::to_string(start) + " and " + std::to_string(other);
        check(comparison.differing_bytes == differing && (differing == 0 || comparison.first_difference == first),
              "compare" + what);
        check(changed == differing && std::memcmp(c + start, b + other, size) == 0 && std::memcmp(c, a, start) == 0 &&
                  std::memcmp(c + start + size, a + start + size, kCheckBytes - start - size) == 0,
              "restore" + what);
      }
    }
  }

  void check_fill() {
    std::vector<uint64_t> back(512);
    must(kernels_.fill(one_, 4096, 0));
    must(kernels_.fill(one_ + 5, 4001, 0x0807060504030201));
    ok(driver_.cuMemcpyDtoH(back.data(), one_, 4096));
    const auto* bytes = reinterpret_cast<const uint8_t*>(back.data());
    bool right = true;
    for (uint64_t i = 0; i < 4096; ++i) right = right && bytes[i] == (i >= 5 && i < 4006 ? (i - 5) % 8 + 1 : 0);
    check(right, "fill");
  }

  void check_everything() {
    const std::vector<uint64_t> words = random_words(kCheckBytes, 1);
    set(one_, words);
    check_checksums(words);
    check_pointers();
    check_restore();
    check_fill();
    std::printf("%d checks, %d wrong\n\n", checks_, failed_);
  }

  // The median of seven runs after one; `traffic`: bytes that cross the memory bus.
  void time(const std::string& what, uint64_t bytes, uint64_t traffic, const std::function<void()>& run,
            const std::function<void()>& prepare = nullptr) {
    std::vector<double> samples;
    for (int i = 0; i < 8; ++i) {
      if (prepare) prepare();
      ok(driver_.cuCtxSynchronize());
      const auto start = std::chrono::steady_clock::now();
      run();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      if (i > 0) samples.push_back(took.count());
    }
    std::nth_element(samples.begin(), samples.begin() + 3, samples.end());
    const double ms = samples[3], rate = static_cast<double>(traffic) / ms / 1e6;
    std::printf("%-44s %12llu %10.3f %10.1f\n", what.c_str(), static_cast<unsigned long long>(bytes), ms, rate);
    std::fflush(stdout);
    char row[256];
    std::snprintf(row, sizeof row, "%s{\"name\":\"%s\",\"bytes\":%llu,\"ms\":%.4f,\"gb_per_s\":%.1f}",
                  rows_.empty() ? "" : ",", what.c_str(), static_cast<unsigned long long>(bytes), ms, rate);
    rows_ += row;
  }

  void time_checksums() {
    std::vector<Checksum128> sums(bytes_ / 4096 + 1);
    const auto run = [&](uint64_t start, uint64_t bytes, uint64_t chunk) {
      must(kernels_.checksums(one_ + start, bytes, chunk, {sums.data(), (bytes + chunk - 1) / chunk}));
    };
    time("checksums, 4 MiB chunks", bytes_, bytes_, [&] { run(0, bytes_, kChunk); });
    time("checksums, one chunk", bytes_, bytes_, [&] { run(0, bytes_, bytes_); });
    time("checksums, 64 KiB chunks", bytes_, bytes_, [&] { run(0, bytes_, 65536); });
    time("checksums, 4 KiB chunks", bytes_, bytes_, [&] { run(0, bytes_, 4096); });
    time("checksums, base + 8", bytes_, bytes_, [&] { run(8, bytes_, kChunk); });
    time("checksums, base + 1", bytes_, bytes_, [&] { run(1, bytes_, kChunk); });
    for (const uint64_t bytes : {256 * kMiB, 16 * kMiB, kChunk, uint64_t{65536}, uint64_t{256}})
      time("checksums, 4 MiB chunks", bytes, bytes, [&] { run(0, bytes, kChunk); });
  }

  void time_pointers() {
    std::vector<uint32_t> hits;
    const auto search = [&](const std::string& what, const std::vector<AddressRange>& targets, uint64_t start,
                            uint64_t bytes) {
      time(what, bytes, bytes, [&] { must(kernels_.find_pointers(one_ + start, bytes, targets, &hits)); });
    };
    const auto few = spread_targets(100, 2 * kMiB), wide = spread_targets(1000, 70 * kMiB),
               many = spread_targets(60000, 65536), most = spread_targets(1000000, 512);
    search("pointers in random bytes, 100 targets", few, 0, bytes_);
    search("pointers in random bytes, 100 targets, base + 3", few, 3, bytes_);
    search("pointers in random bytes, 1000 over 140 GB", wide, 0, bytes_);
    search("pointers in random bytes, 60000 targets", many, 0, bytes_);
    search("pointers in random bytes, 10^6 targets", most, 0, bytes_);
    search("pointers in random bytes, 100 targets", few, 0, kChunk);
    std::vector<uint64_t> words(kCheckBytes / 8);
    std::mt19937_64 random(6);
    for (uint64_t& word : words) word = wide[random() % wide.size()].base + random() % (64 * kMiB);
    set(one_, words);
    search("pointers in nothing but pointers, 1000", wide, 0, bytes_);
    for (uint64_t& word : words) word = many[random() % many.size()].base + random() % 65536;
    set(one_, words);
    search("pointers in nothing but pointers, 60000", many, 0, bytes_);
    must(kernels_.fill(one_, bytes_, 0));
    search("pointers in zeros, 1000 targets", wide, 0, bytes_);
  }

  void time_everything() {
    time("cuMemcpyDtoD", bytes_, 2 * bytes_, [&] {
      ok(driver_.cuMemcpyDtoDAsync(two_, one_, bytes_, nullptr));
      ok(driver_.cuCtxSynchronize());
    });
    time("cuMemsetD8", bytes_, bytes_, [&] {
      ok(driver_.cuMemsetD8Async(two_, 1, bytes_, nullptr));
      ok(driver_.cuCtxSynchronize());
    });
    const std::vector<uint64_t> words = random_words(kCheckBytes, 1), others = random_words(kCheckBytes, 2);
    set(one_, words);
    time_checksums();
    time_pointers();

    Comparison comparison;
    uint64_t changed = 0;
    set(one_, words);
    set(two_, words);
    time("compare, equal", bytes_, 2 * bytes_, [&] { must(kernels_.compare(one_, two_, bytes_, &comparison)); });
    time("compare, equal, base + 1 and + 2", bytes_, 2 * bytes_,
         [&] { must(kernels_.compare(one_ + 1, two_ + 2, bytes_, &comparison)); });
    time("restore, equal", bytes_, 2 * bytes_, [&] { must(kernels_.restore(one_, two_, bytes_, &changed)); });
    time(
        "restore, all different", bytes_, 3 * bytes_, [&] { must(kernels_.restore(one_, two_, bytes_, &changed)); },
        [&] { must(kernels_.fill(one_, bytes_, changed + 1)); });
    time(
        "compare, all different", bytes_, 2 * bytes_, [&] { must(kernels_.compare(one_, two_, bytes_, &comparison)); },
        [&] { set(two_, others); });
    time("restore, equal", 2 * kMiB, 4 * kMiB, [&] { must(kernels_.restore(one_, two_, 2 * kMiB, &changed)); });
    time("touch", bytes_, bytes_, [&] { must(kernels_.touch(one_, bytes_)); });
    time("touch", 16 * kMiB, 16 * kMiB, [&] { must(kernels_.touch(one_, 16 * kMiB)); });
    time("fill", bytes_, bytes_, [&] { must(kernels_.fill(one_, bytes_, 1)); });
    time("flush_l2, 128 MiB", 128 * kMiB, 256 * kMiB, [&] { must(kernels_.flush_l2(one_, 128 * kMiB)); });
  }

  const Driver& driver_;
  DeviceKernels& kernels_;
  const uint64_t bytes_;
  const CUdeviceptr one_, two_;
  int checks_ = 0, failed_ = 0;
  std::string rows_;
};

int main_program(uint64_t bytes) {
  auto driver = Driver::load();
  if (bytes < 256 * kMiB) stop("at least 256 MiB");
  if (!driver) stop(driver.error().message);
  must(initialise(**driver));
  const Driver& d = **driver;
  CUdevice device;
  CUcontext context;
  char name[256] = "";
  if (d.cuDeviceGet(&device, 0) != CUDA_SUCCESS || d.cuDeviceGetName(name, sizeof name, device) != CUDA_SUCCESS ||
      d.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || d.cuCtxSetCurrent(context) != CUDA_SUCCESS)
    stop("no context on device 0");
  const auto start = std::chrono::steady_clock::now();
  auto kernels = DeviceKernels::load(d);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (!kernels) stop(kernels.error().code + ": " + kernels.error().message);
  std::printf("%s, driver %d, kernels loaded in %.1f ms\n", name, d.version, took.count());
  return Bench(d, **kernels, bytes).run(name, took.count());
}

}  // namespace
}  // namespace kernloop::cuda

int main(int argc, char** argv) {
  return kernloop::cuda::main_program(argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 4ull << 30);
}
