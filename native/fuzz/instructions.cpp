// Any code that the software GPU executes ends, and a fault is named.
#include <algorithm>
#include <cstring>
#include <random>

#include "fuzz/target.h"
#include "softgpu/engine/tests/random_stream.h"

namespace kernloop::fuzz {
namespace {

using namespace softgpu;  // except Target, which is a fuzz target here

constexpr softgpu::Target kTargets[] = {kGfx90a, kGfx1030, kGfx1030Wave64, kGfx942, kGfx1100, kGfx1100Wave64};

std::vector<uint32_t> words_of(Bytes bytes) {
  constexpr size_t kMaxWords = 256;
  std::vector<uint32_t> words(std::min(bytes.size() / 4, kMaxWords));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

// The first byte chooses the target.
void execute_words(Bytes bytes) {
  constexpr uint64_t kLimit = 200;
  if (bytes.size() < 5) return;
  static testing::StreamMachine machines[] = {testing::StreamMachine(kTargets[0]), testing::StreamMachine(kTargets[1]),
                                              testing::StreamMachine(kTargets[2]), testing::StreamMachine(kTargets[3]),
                                              testing::StreamMachine(kTargets[4]), testing::StreamMachine(kTargets[5])};
  static_assert(std::size(machines) == std::size(kTargets));
  static const bool drawn = [] {
    std::mt19937_64 random(1);
    for (testing::StreamMachine& machine : machines) machine.draw_state(random);
    return true;
  }();
  (void)drawn;
  const size_t which = bytes[0] % std::size(kTargets);
  const testing::RandomStream stream{kTargets[which], words_of(bytes.subspan(1))};
  const testing::StreamEnd end = machines[which].run(stream, kLimit, false);
  require(end.instructions <= kLimit, "the limit of instructions holds");
  if (!end.fault) return;
  require(end.fault->kind != Fault::Kind::kInternal, "a fault is named");
  require(!end.fault->detail.empty(), "a fault says what happened");
}

// Random streams, after a byte for the target.
std::vector<Input> streams() {
  std::vector<Input> inputs;
  for (uint8_t which = 0; which < std::size(kTargets); ++which) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      std::mt19937_64 random(seed);
      testing::WordGenerator generator(kTargets[which].isa, seed);
      const auto stream = testing::random_stream(kTargets[which], random, generator);
      Input input{which};
      const auto* from = reinterpret_cast<const uint8_t*>(stream.words.data());
      input.insert(input.end(), from, from + stream.words.size() * 4);
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

const Registration kInstructions({"instructions", execute_words, streams});

}  // namespace
}  // namespace kernloop::fuzz
