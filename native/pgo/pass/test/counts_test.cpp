// Kernels that the plugin instrumented, on the software GPU: every count of every block equals the host's.
#include <nlohmann/json.hpp>
#include <ostream>

#include "oracle.h"
#include "softgpu/hsa/tests/client.h"
#include "unit_counts.h"

namespace kernloop::pgo_pass {

void PrintTo(const Visits& visits, std::ostream* out) {
  *out << visits.lanes << " lanes, " << visits.waves << " waves, " << visits.uniform << " uniform, " << visits.full
       << " in full waves";
}

namespace {

using nlohmann::json;

struct Build {
  std::string name;    // name of its files
  std::string target;  // target of the software GPU
  unsigned wave_size;
  unsigned one_in = 1;  // workgroups that count
  bool by_launch = false;
  bool sparse = false;
  bool full_mask = false;
};

void PrintTo(const Build& build, std::ostream* out) {
  *out << build.name;
}

class CountsTest : public softgpu::HsaTest, public ::testing::WithParamInterface<Build> {
 protected:
  void SetUp() override {
    setenv("KERNLOOP_SOFTGPU", GetParam().target.c_str(), 1);
    HsaTest::SetUp();
    const std::string base = std::string(KERNLOOP_PGO_TEST_OBJECTS) + "/" + GetParam().name;
    map = json::parse(std::ifstream(base + ".json"));
    bytes = softgpu::read_file(base + ".co");
    ASSERT_NO_FATAL_FAILURE(load(bytes, &executable));
    read();
  }

  template <typename T = uint64_t>
  std::span<T> variable(const std::string& prefix) {
    const std::string name = prefix + map["cuid"].get<std::string>();
    hsa_executable_symbol_t symbol{};
    EXPECT_HSA(hsa_executable_get_symbol_by_name(executable, name.c_str(), &agents.gpu, &symbol)) << name;
    uint64_t address = 0;
    uint32_t size = 0;
    EXPECT_HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    EXPECT_HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
    return {reinterpret_cast<T*>(address), size / sizeof(T)};
  }

  void read() {
    const auto described = Description::read(variable<char>("__kernloop_prf_"));
    ASSERT_TRUE(described.has_value());
    description = *described;
    lanes = variable("__profc_all_"), uniform = variable("__profu_all_"), waves = variable("__profw_all_");
  }

  void clear() {
    for (const auto& array : {lanes, uniform, waves}) std::fill(array.begin(), array.end(), 0);
  }

  void dispatch(const std::string& name, const Launch& launch) {
    const size_t words = 8192 + 4 * size_t{launch.threads()};
    if (input_words == nullptr) {
      input_words = device(1 << 16), output_words = device(1 << 16);
      for (unsigned i = 0; i < 1 << 16; ++i) input_words[i] = input(i);
    }
    ASSERT_LT(words, size_t{1} << 16);
    std::fill_n(output_words, words, 0);
    hsa_signal_t done = signal(1);
    auto sent = packet(kernel_of(executable, name), kernargs(input_words, output_words, launch.n, launch.count), done,
                       launch.threads(), static_cast<uint16_t>(launch.block));
    sent.setup = 3;
    sent.grid_size_y = launch.grid[1];
    sent.grid_size_z = launch.grid[2];
    sent.group_segment_size = 1024;
    sent.private_segment_size = 16384;  // needed by a kernel that calls through a pointer
    if (one_queue == nullptr) one_queue = queue();
    packet_number = enqueue(one_queue, sent);
    ASSERT_EQ(wait_zero(done), 0) << name;
    ASSERT_EQ(errors.count, 0) << name;
  }

  // Until so many launches are behind.
  void pass_by(uint64_t launches) {
    const Launch one{{1, 1, 1}, 64, 1, 1};
    while (packet_number + 1 < launches) ASSERT_NO_FATAL_FAILURE(dispatch("tail", one));
  }

  void compare(Expected expected, const std::string& what) {
    for (size_t i = 0; i < description.functions.size(); ++i) {
      const std::string symbol = map["functions"][i]["symbol"];
      const FunctionVisits actual = visitsOf(map["functions"][i], description, i, {lanes, uniform, waves});
      const bool launched = expected.contains(symbol);
      FunctionVisits& wanted = expected[symbol];
      for (const auto& [block, visits] : actual.blocks) {
        if (launched) {
          ASSERT_TRUE(wanted.blocks.contains(block))
              << what << ": the oracle of " << symbol << " lacks block " << block;
        }
        EXPECT_EQ(told(visits, wanted), told(wanted.blocks[block], wanted))
            << what << ": block " << block << " of " << symbol;
      }
      EXPECT_EQ(actual.blocks.size(), wanted.blocks.size()) << what << ": blocks of " << symbol;
      if (launched) {
        EXPECT_EQ(actual.selects.size(), wanted.selects.size()) << what << ": selects of " << symbol;
      }
      for (auto [order, visits] : actual.selects) {
        Visits want = told(wanted.selects[order], wanted);
        want.waves = 0;  // not counted
        EXPECT_EQ(visits, want) << what << ": select " << order << " of " << symbol;
      }
    }
  }
  static Visits told(Visits visits, const FunctionVisits& function) {
    if (function.lanes_only) return {visits.lanes};
    (GetParam().full_mask ? visits.uniform : visits.full) = 0;
    return visits;
  }

  json map;
  std::vector<char> bytes;
  Description description;
  std::span<uint64_t> lanes, uniform, waves;
  uint32_t *input_words = nullptr, *output_words = nullptr;
  hsa_queue_t* one_queue = nullptr;
  uint64_t packet_number = 0;
};

TEST_P(CountsTest, EveryBlockIsCountedAsOnTheHost) {
  const Build& build = GetParam();
  ASSERT_EQ(description.functions.size(), map["functions"].size());
  for (const Oracle& oracle : oracles()) {
    // Half of the kernels are launched when many launches were before them.
    if (build.sparse && &oracle == &oracles()[oracles().size() / 2]) ASSERT_NO_FATAL_FAILURE(pass_by(4096));
    for (const Launch& launch : launchesToCount()) {
      clear();
      ASSERT_NO_FATAL_FAILURE(dispatch(oracle.kernel, launch));
      Expected expected;
      const auto number = static_cast<uint32_t>(packet_number);
      const bool in_turn = build.sparse ? number < 4096 || isChosen(number, 0, 0, 8)
                                        : !build.by_launch || isChosen(number, 0, 0, build.one_in);
      expect(expected, oracle, launch, build.wave_size, [&](const std::array<unsigned, 3>& group) {
        return in_turn && (build.by_launch || isChosen(group[0], group[1], group[2], build.one_in));
      });
      ASSERT_NO_FATAL_FAILURE(compare(expected, inWords(oracle, launch)));
    }
  }
}

TEST_P(CountsTest, TheArraysAndRecordsAreThoseOfTheRfc) {
  const auto& header = description.header;
  EXPECT_EQ(header.magic, 0x4652504c4e52454bu);
  EXPECT_EQ(header.version, 1u);
  EXPECT_EQ(header.wave_size, GetParam().wave_size);
  EXPECT_EQ(std::string(header.architecture), GetParam().target);
  EXPECT_EQ(header.one_in, GetParam().one_in);
  EXPECT_EQ(header.raw_version, 10u | uint64_t{1} << 56);
  const auto data = variable("__profd_all_"), begins = variable("__llvm_offload_prf_");
  const auto names = variable<char>("__llvm_prf_names_");
  ASSERT_EQ(data.size(), header.functions * 8);
  for (uint32_t i = 0; i < header.functions; ++i) {
    EXPECT_EQ(data[8 * i], description.functions[i].name_ref);
    EXPECT_EQ(data[8 * i + 1], description.functions[i].hash);
    EXPECT_EQ(data[8 * i + 2] + 64 * i, uint64_t{description.functions[i].first_counter} * header.slots * 8);
    EXPECT_EQ(data[8 * i + 6], description.functions[i].counters);
  }
  ASSERT_EQ(begins.size(), 8u);
  const auto address = [](const auto& array) { return reinterpret_cast<uint64_t>(array.data()); };
  EXPECT_EQ(std::vector(begins.begin(), begins.end()),
            (std::vector{address(lanes), address(data), address(names), address(uniform),
                         address(lanes) + lanes.size_bytes(), address(data) + data.size_bytes(),
                         address(names) + names.size_bytes(), address(uniform) + uniform.size_bytes()}));
}

const Build builds[] = {
    {"gfx90a_all", "gfx90a", 64},
    {"gfx1030_all", "gfx1030", 32},
    {"gfx1030_wave64", "gfx1030", 64},
    {"gfx90a_O3", "gfx90a", 64},
    {"gfx90a_blocks", "gfx90a", 64, 4},
    {"gfx1030_blocks", "gfx1030", 32, 4},
    {"gfx90a_launches", "gfx90a", 64, 4, true},
    {"gfx90a_sparse", "gfx90a", 64, 4, false, true},
    {"gfx90a_full", "gfx90a", 64, 1, false, false, true},
    {"gfx1030_full", "gfx1030", 32, 1, false, false, true},
};

INSTANTIATE_TEST_SUITE_P(Builds, CountsTest, ::testing::ValuesIn(builds),
                         [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace kernloop::pgo_pass
