// The two sides of bench/capture-throughput.mjs, each printing one JSON object:
//   --write FILE --bytes N --threads T   what the disk takes: distinct incompressible 4 MiB blocks, past the page cache
//   --socket PATH --bytes N              an agent without a GPU that streams a region of N such bytes to a recorder
//   --socket PATH --bytes N --data D     another kind of bytes (incompressible ones if left out): "zeros", which are
//   neither hashed nor
//                                        written: what the ring and the copies take; "numbers", of 12 bits in words of
//                                        32, half of which compression takes off; "sparse", one word of 16 not zero
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "recorder/test/fake_agent.h"
#include "recorder/test/tiny_code_object.h"

namespace kernloop::recorder {
namespace {

constexpr size_t kBlock = protocol::kSnapshotChunkBytes;

// A word of that kind of data.
uint32_t word_of(const std::string& data, size_t index, uint32_t random) {
  if (data == "numbers") return random & 0xfff;
  if (data == "sparse") return index % 16 == 0 ? random : 0;
  return random;
}

// A block that no other has: its number at its start.
class Blocks {
 public:
  explicit Blocks(const std::string& data = "") : bytes_(static_cast<uint8_t*>(std::aligned_alloc(4096, kBlock))) {
    std::mt19937 random(11);
    for (size_t at = 0; at < kBlock; at += 4) {
      const uint32_t word = word_of(data, at / 4, static_cast<uint32_t>(random()));
      std::memcpy(bytes_.get() + at, &word, sizeof word);
    }
  }
  std::span<const uint8_t> block(uint64_t number) {
    std::memcpy(bytes_.get(), &number, sizeof number);
    return {bytes_.get(), kBlock};
  }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> bytes_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int write_raw(const std::string& path, uint64_t bytes, int threads) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0644);
  if (file < 0) return std::perror(path.c_str()), 5;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> failed{false};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i) {
    writers.emplace_back([&] {
      Blocks blocks;
      for (uint64_t number = next++; number * kBlock < bytes; number = next++) {
        const auto block = blocks.block(number);
        if (pwrite(file, block.data(), block.size(), static_cast<off_t>(number * kBlock)) != ssize_t{kBlock})
          failed = true;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  if (fdatasync(file) != 0) failed = true;
  const double taken = seconds_since(start);
  close(file);
  std::printf("{\"seconds\": %.4f}\n", taken);
  return failed ? 1 : 0;
}

int stream(const std::string& socket, uint64_t bytes, const std::string& data) {
  FakeAgent agent(socket, protocol::kDefaultRingBytes);
  if (!agent.client) return std::fprintf(stderr, "%s\n", agent.error.c_str()), 5;
  constexpr uint64_t kLoadBase = 0x500000000000;
  agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
  agent.prepare = [](protocol::BeginMessage& begin) { begin.scope = protocol::ScopeMode::kAll; };
  const auto reply = agent.begin(0);
  if (!reply || !reply->granted) return std::fprintf(stderr, "the recorder wants nothing\n"), 1;
  Blocks blocks(data);
  const bool zeros = data == "zeros";
  const std::vector<uint8_t> nothing(zeros ? kBlock : 0);
  capture::RecorderSink sink(*agent.client, 0);
  const auto began = std::chrono::system_clock::now();
  const auto start = std::chrono::steady_clock::now();
  bool taken = sink.scope(1, bytes) && sink.kernarg(std::vector<uint8_t>(tiny_kernarg_bytes())) &&
               sink.region(0, region_at(0x400000100000, bytes));
  for (uint64_t at = 0; taken && at < bytes; at += kBlock) {
    taken = sink.pre(0, at, zeros ? std::span<const uint8_t>(nothing) : blocks.block(at / kBlock));
  }
  taken = taken && sink.commit({});
  std::printf("{\"began_ms\": %.3f, \"streamed_seconds\": %.4f}\n",
              std::chrono::duration<double, std::milli>(began.time_since_epoch()).count(), seconds_since(start));
  std::fflush(stdout);
  return taken ? 0 : 1;
}

}  // namespace
}  // namespace kernloop::recorder

int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < count; i += 2) options[arguments[i]] = arguments[i + 1];
  const uint64_t bytes =
      std::strtoull(options["--bytes"].c_str(), nullptr, 10) / kernloop::recorder::kBlock * kernloop::recorder::kBlock;
  const int threads = std::atoi(options["--threads"].c_str());
  if (bytes != 0 && threads > 0 && options.contains("--write"))
    return kernloop::recorder::write_raw(options["--write"], bytes, threads);
  if (bytes != 0 && options.contains("--socket"))
    return kernloop::recorder::stream(options["--socket"], bytes, options["--data"]);
  std::fprintf(stderr,
               "usage: capture_throughput_bench --write FILE --bytes N --threads T | --socket PATH --bytes N [--data "
               "zeros|numbers|sparse]\n");
  return 2;
}
