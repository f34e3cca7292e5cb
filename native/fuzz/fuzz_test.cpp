// A short round of every fuzz target, the same in every run: its seeds, earlier crashers (fuzz/crashers/TARGET), and
// mutations of both. KERNLOOP_FUZZ_MUTATIONS asks for more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

constexpr long kMutations = 8000;

long mutations() {
  const char* wanted = std::getenv("KERNLOOP_FUZZ_MUTATIONS");
  return wanted ? std::max(kMutations, std::atol(wanted)) : kMutations;
}

Input mutated(const std::vector<Input>& from, std::mt19937& random) {
  Input input = from[random() % from.size()];
  for (unsigned n = 1 + random() % 6; n > 0 && !input.empty(); --n) {
    const size_t at = random() % input.size();
    switch (random() % 6) {
      case 0:
        input[at] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 1:
        input[at] = static_cast<uint8_t>(random());
        break;
      case 2:
        input.resize(at);
        break;
      case 3: {  // a word that overflows
        static constexpr uint64_t kWords[] = {0, 1, 0x7fffffff, 0xffffffff, ~uint64_t{0} >> 1, ~uint64_t{0}};
        std::memcpy(&input[at], &kWords[random() % std::size(kWords)], std::min<size_t>(8, input.size() - at));
        break;
      }
      case 4:
        input.erase(input.begin() + static_cast<ptrdiff_t>(at),
                    input.begin() + static_cast<ptrdiff_t>(std::min(input.size(), at + 1 + random() % 16)));
        break;
      default: {  // a piece of another one
        const Input& other = from[random() % from.size()];
        const size_t begin = random() % other.size(), size = std::min<size_t>(other.size() - begin, random() % 64);
        input.insert(input.begin() + static_cast<ptrdiff_t>(at), other.begin() + static_cast<ptrdiff_t>(begin),
                     other.begin() + static_cast<ptrdiff_t>(begin + size));
      }
    }
  }
  return input;
}

std::vector<Input> crashers(const std::string& target) {
  const std::string folder = "fuzz/crashers/" + target;
  if (!std::filesystem::is_directory(std::string(KERNLOOP_FUZZ_SOURCES) + "/" + folder)) return {};
  return test_data_with(folder, ".input");
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, SeedsCrashersAndTheirMutationsAreSurvived) {
  const Target& target = GetParam();
  std::vector<Input> inputs = target.seeds();
  ASSERT_FALSE(inputs.empty());
  for (Input& crasher : crashers(target.name)) inputs.push_back(std::move(crasher));
  target.run({});
  for (const Input& input : inputs) target.run(input);
  std::mt19937 random(20261121);
  for (long i = 0, count = mutations(); i < count; ++i) target.run(mutated(inputs, random));
}

std::string name_of(const testing::TestParamInfo<Target>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Fuzz, testing::ValuesIn(targets()), name_of);

}  // namespace

// A readable parameter in the list of tests.
void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

}  // namespace kernloop::fuzz
