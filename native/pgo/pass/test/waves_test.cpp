// Parsing of a profile's side file, from any bytes; block counts that follow from those of other blocks.
#include <gtest/gtest.h>

#include <string>

#include "pgo/pass/use/flow.h"
#include "pgo/pass/use/waves.h"

namespace kernloop::pgo_pass {
namespace {

const std::string kGood = R"({ "schema": "kernloop.pgo-waves/1", "arch": "gfx90a", "wave_size": 64, "functions": [
  { "name": "k", "hash": "0xffffffffffffffff", "counters": ["0x7f", "0x0"], "uniform": ["0x40", "0x0"], "pattern": "DU",
    "classes": [ { "waves": "0x2", "uniform_lanes": "0x40" }, { "waves": "0x3", "uniform_lanes": "0x0", "static_uniform": true } ],
    "counter_class": [0, 1] } ] })";

std::string fault_of(const std::string& text) {
  auto parsed = parse_waves(text);
  if (parsed) return "";
  return llvm::toString(parsed.takeError());
}

std::string changed(const std::string& what, const std::string& into) {
  std::string text = kGood;
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), into);
}

TEST(pgo_waves, are_read) {
  auto profile = parse_waves(kGood);
  ASSERT_TRUE(static_cast<bool>(profile)) << llvm::toString(profile.takeError());
  EXPECT_EQ(profile->arch, "gfx90a");
  EXPECT_EQ(profile->wave_size, 64U);
  const auto& function = profile->functions.at({"k", UINT64_MAX});
  EXPECT_EQ(function.counters, (std::vector<uint64_t>{127, 0}));
  EXPECT_EQ(function.pattern, "DU");
  EXPECT_EQ(function.classes[1].waves, 3U);
  EXPECT_TRUE(function.classes[1].static_uniform);
  EXPECT_EQ(function.counter_class, (std::vector<uint64_t>{0, 1}));
}

TEST(pgo_waves, end_nowhere_but_at_their_end) {
  ASSERT_EQ(fault_of(kGood), "");
  for (size_t size = 0; size < kGood.size(); ++size) EXPECT_NE(fault_of(kGood.substr(0, size)), "") << size;
}

TEST(pgo_waves, that_do_not_make_sense_are_refused) {
  const struct {
    std::string text, fault;
  } cases[] = {
      {changed("pgo-waves/1", "pgo-waves/2"), "its schema is \"kernloop.pgo-waves/2\""},
      {changed("\"wave_size\": 64", "\"wave_size\": 48"), "wave_size is none of 32, 64"},
      {changed("\"0x7f\"", "127"), "functions[0].counters[0] is not a number"},
      {changed("\"0x7f\"", "\"0x10000000000000000\""), "functions[0].counters[0] is not a number"},
      {changed("\"0x7f\"", "\"-0x1\""), "functions[0].counters[0] is not a number"},
      {changed("\"DU\"", "\"DX\""), "functions[0].pattern is not one letter, U or D"},
      {changed("\"DU\"", "\"DUU\""), "functions[0].pattern is not one letter, U or D"},
      {changed("[\"0x40\", \"0x0\"]", "[\"0x40\"]"), "uniform has 1 entries for 2 counters"},
      {changed("[0, 1]", "[0, 2]"), "counter_class[1] is not the index of one of its 2 classes"},
      {changed("[0, 1]", "[0, -1]"), "counter_class[1] is not the index"},
      {changed("[0, 1]", "[0]"), "counter_class has 1 entries for 2 counters"},
      {changed("\"waves\": \"0x2\"", "\"waves\": 2"), "classes[0] lacks waves"},
      {changed("\"hash\": \"0xffffffffffffffff\"", "\"hash\": \"\""), "functions[0] has no name, or no hash"},
      {changed("[\"0x7f\", \"0x0\"]", "[]"), "functions[0] has no counters"},
      {std::string(100'000, '['), "nested more than 8 deep"},
      {"{\"schema\": \"kernloop.pgo-waves/1\", \"wave_size\": 64}", "functions is missing"},
      {"\xff\xfe", ""},
  };
  for (const auto& [text, fault] : cases) {
    const std::string found = fault_of(text);
    EXPECT_NE(found, "") << text.substr(0, 400);
    EXPECT_NE(found.find(fault), std::string::npos) << found;
  }
}

TEST(pgo_waves, one_function_has_one_profile) {
  const std::string function = kGood.substr(kGood.find("{ \"name\""), kGood.rfind("]") - kGood.find("{ \"name\""));
  EXPECT_NE(fault_of(changed(function, function + ", " + function)).find("k is there twice"), std::string::npos);
}

TEST(pgo_waves, ninety_percent_is_uniform_and_one_lane_less_is_not) {
  EXPECT_TRUE(is_uniform(0, 0));
  EXPECT_TRUE(is_uniform(90, 100));
  EXPECT_FALSE(is_uniform(89, 100));
  EXPECT_TRUE(is_uniform(9, 10));
  EXPECT_FALSE(is_uniform(0, 1));
  // 90% of a number that is no multiple of ten is rounded up: 9/11 are less, 10/11 are enough.
  EXPECT_FALSE(is_uniform(9, 11));
  EXPECT_TRUE(is_uniform(10, 11));
  EXPECT_FALSE(is_uniform(UINT64_MAX / 10 * 9 - 1, UINT64_MAX));
}

// A loop (1) with a branch in it: 2 or 3, then 4, which goes back or out to 5. Node 6 is outside.
FlowGraph loop() {
  FlowGraph graph(7);
  for (const auto& [from, to] :
       {std::pair<size_t, size_t>{6, 0}, {0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {5, 6}})
    graph.add_edge(from, to);
  return graph;
}

TEST(pgo_flow, what_goes_in_comes_out) {
  FlowGraph graph = loop();
  graph.counts[5] = 10, graph.counts[2] = 700, graph.counts[1] = 1000;
  solve(graph);
  const std::vector<std::optional<uint64_t>> expected = {10, 1000, 700, 300, 1000, 10, 10};
  EXPECT_EQ(graph.counts, expected);
  EXPECT_EQ(graph.edges[6].count, 990U);  // round
}

TEST(pgo_flow, blocks_that_are_visited_alike_share_their_count) {
  FlowGraph graph = loop();
  graph.together[4] = 1;
  graph.counts[4] = 1000;
  solve(graph);
  EXPECT_EQ(graph.counts[1], 1000U);
  EXPECT_EQ(graph.counts[2], std::nullopt);  // nothing says which way
}

TEST(pgo_flow, contradictions_end_at_nothing) {
  FlowGraph graph = loop();
  graph.counts[1] = 100, graph.counts[2] = 150;
  solve(graph);
  EXPECT_EQ(graph.counts[3], 0U);
}

}  // namespace
}  // namespace kernloop::pgo_pass
