// The recorder program, fed by agents that behave and agents that do not.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "archive/capture/reader.h"
#include "base/testing/soon.h"
#include "capture/test/recorded_run.h"
#include "recorder/name_pattern.h"
#include "recorder/test/fake_agent.h"
#include "recorder/test/tiny_code_object.h"

namespace kernloop::recorder {
namespace {

using capture::RecorderSink;
using protocol::FrameType;
using testing::RecordedRun;
using Json = nlohmann::json;

namespace fs = std::filesystem;

constexpr uint64_t kLoadBase = 0x500000000000, kBase = 0x400000100000;

std::vector<uint8_t> pattern(size_t size, uint8_t seed = 1) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + seed + (i >> 12));
  return bytes;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class RecorderTest : public ::testing::Test {
 protected:
  RecordedRun run{KERNLOOP_TEST_RECORDER};

  std::unique_ptr<FakeAgent> agent_with_kernel() {
    auto agent = std::make_unique<FakeAgent>(run.socket());
    EXPECT_TRUE(agent->client) << agent->error;
    EXPECT_EQ(agent->load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address()), 1u);
    return agent;
  }
  // A whole capture of one region.
  void send_capture(FakeAgent& agent, const std::vector<uint8_t>& pre, uint32_t number = 0) {
    RecorderSink sink(*agent.client, number);
    std::vector<uint8_t> kernarg(tiny_kernarg_bytes());
    std::memcpy(kernarg.data(), &kBase, sizeof kBase);
    EXPECT_TRUE(sink.scope(3, 1 << 20));
    EXPECT_TRUE(sink.kernarg(kernarg));
    EXPECT_TRUE(sink.region(0, region_at(kBase, pre.size())));
    sink.pre(0, 0, pre);
  }
  std::string refusal() {
    const Json event = run.event("refused");
    return event.is_null() ? "none: " + run.recorder->output() : event.value("code", "");
  }
};

TEST_F(RecorderTest, WritesWhatTheAgentStreams) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  const auto reply = agent->begin(0);
  ASSERT_TRUE(reply && reply->granted);
  EXPECT_EQ(reply->kernarg_bytes, tiny_kernarg_bytes());
  const auto pre = pattern((9u << 20) + 123);
  auto post = pre;
  for (size_t i = (4u << 20); i < (8u << 20); ++i) post[i] ^= 0x55;  // the second chunk
  send_capture(*agent, pre);
  RecorderSink sink(*agent->client, 0);
  EXPECT_TRUE(sink.post(0, 4u << 20, std::span(post).subspan(4u << 20, 4u << 20)));
  EXPECT_TRUE(sink.commit({1234, 77}));
  agent.reset();
  EXPECT_EQ(run.finish(), 0);

  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message << run.recorder->output();
  const archive::Manifest& manifest = (*reader)->manifest();
  ASSERT_EQ(manifest.regions.size(), 1u);
  EXPECT_EQ(manifest.regions[0].base, kBase);
  EXPECT_TRUE((*(*reader)->read_all(pre_of(manifest.regions[0]), 1 << 24)) == pre);
  EXPECT_TRUE((*(*reader)->read_all(post_of(manifest.regions[0]), 1 << 24)) == post);
  EXPECT_EQ(manifest.regions[0].pre.chunks[0], manifest.regions[0].post.chunks[0])
      << "what did not change is stored once";
  EXPECT_NE(manifest.regions[0].pre.chunks[1], manifest.regions[0].post.chunks[1]);
  EXPECT_EQ(manifest.geometry.grid_blocks, (std::array<uint32_t, 3>{4, 2, 1})) << "a partial block counts";
  EXPECT_EQ(manifest.geometry.grid_work_items, (std::array<uint64_t, 3>{1000, 2, 1}));
  EXPECT_FALSE(archive::to_json(manifest)["geometry"].contains("attributes"))
      << "captures without any stay as they were";
  EXPECT_EQ(manifest.execution.wave_instructions, 77u);
  ASSERT_FALSE(manifest.kernarg.slots.empty());
  EXPECT_EQ(manifest.kernarg.slots[0].region, "r0");
  EXPECT_EQ(manifest.code_objects.at(0).load_base, kLoadBase);
  EXPECT_TRUE((*reader)->read_code_object(manifest.code_objects[0]).ok());
  const Json event = run.event("captured");
  EXPECT_EQ(event["regions"], 1);
  EXPECT_EQ(event["bytes_tracked"], 1 << 20);
  EXPECT_TRUE(run.leftovers().empty());
}

TEST_F(RecorderTest, HiddenArgumentsOfTheProcessAreZeroedAndNotFollowed) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  const auto reply = agent->begin(0);
  ASSERT_TRUE(reply && reply->granted);
  ASSERT_EQ(reply->ignored_kernarg.size(), 1u);
  const uint64_t hidden = reply->ignored_kernarg[0].base;
  EXPECT_EQ(hidden, tiny_hostcall_offset());
  RecorderSink sink(*agent->client, 0);
  std::vector<uint8_t> kernarg(tiny_kernarg_bytes(), 0xee);
  sink.kernarg(kernarg);
  sink.scope(0, 0);
  sink.commit({0, 1});
  agent.reset();
  run.finish();
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader.ok()) << run.recorder->output();
  const archive::Kernarg& captured = (*reader)->manifest().kernarg;
  EXPECT_EQ(captured.bytes[hidden], 0);
  EXPECT_EQ(captured.bytes[hidden - 1], 0xee);
  bool seen = false;
  for (const archive::KernargSlot& slot : captured.slots) {
    if (slot.offset != hidden) continue;
    seen = true;
    EXPECT_EQ(slot.policy, archive::SlotPolicy::kZero);
  }
  EXPECT_TRUE(seen);
}

TEST_F(RecorderTest, MatchesDemangledAndMangledNames) {
  run.select("^tiny_kernel$", 1, "reachable", "exact");
  run.select("iny_ker", 1, "reachable", "part");
  run.select("^other$", 1, "reachable", "none");
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  EXPECT_EQ(agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address()), 0b011u);
}

TEST_F(RecorderTest, AWholeNameIsTheSymbolTheSignatureOrTheNameWithoutParameters) {
  const std::string symbol = "_ZN2ns5scaleIfLi4EEEvPfi";  // void ns::scale<float, 4>(float*, int)
  const std::vector<std::string> matching = {symbol, "ns::scale", "void ns::scale<float, 4>\\(float\\*, int\\)",
                                             "ns::s.*"};
  const std::vector<std::string> not_matching = {"scale", "ns::scal", "ns::scale<float, 4>", ".*scale<"};
  uint64_t expected = 0;
  for (const auto* names : {&matching, &not_matching}) {
    for (const std::string& name : *names) {
      const size_t i = run.config["selections"].size();
      run.select(name, 1, "reachable", std::to_string(i));
      run.config["selections"][i]["whole"] = true;
      if (names == &matching) expected |= uint64_t{1} << i;
    }
  }
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  EXPECT_EQ(agent.load(tiny_code_object(), symbol, 0), expected);
}

// Matchers that recurse for each character, or that try every division of a name, do not finish here.
TEST_F(RecorderTest, NamesOfTheLongestKindAreMatchedByAnyExpression) {
  const std::string symbol = std::string(protocol::kMaxSymbolBytes - 1, 'x') + 'z';
  const std::vector<std::string> matching = {"^(x|y|z)+$", "(x+x+)+z$", "(?=x).*z", "(x*)*z", "x(?!x)"};
  const std::vector<std::string> not_matching = {"(x+x+)+y", "^(x|y)+$", "(x*)*y", "x.*x.*x.*y", "z(?=x)"};
  uint64_t expected = 0;
  for (const auto* expressions : {&matching, &not_matching}) {
    for (const std::string& expression : *expressions) {
      const size_t i = run.config["selections"].size();
      run.select(expression, 1, "reachable", std::to_string(i));
      if (expressions == &matching) expected |= uint64_t{1} << i;
    }
  }
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  const auto reply = agent.client->request<protocol::MatchReply>(FrameType::kMatch, [&](uint32_t request) {
    return protocol::MatchMessage{request, {symbol}};
  });
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->selections, std::vector<uint64_t>{expected});
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// The recorder gets all of the expressions; its main thread has a stack of 256 KiB.
void expect_matches_on_a_small_stack(RecordedRun& run, const std::string& symbol,
                                     const std::vector<std::string>& matching,
                                     const std::vector<std::string>& not_matching) {
  uint64_t expected = 0;
  for (const auto* expressions : {&matching, &not_matching}) {
    for (const std::string& expression : *expressions) {
      const size_t i = run.config["selections"].size();
      run.select(expression, 1, "reachable", std::to_string(i));
      run.config["selections"][i]["whole"] = true;
      if (expressions == &matching) expected |= uint64_t{1} << i;
    }
  }
  struct rlimit before, small;
  getrlimit(RLIMIT_STACK, &before);
  small = before;
  small.rlim_cur = 256u << 10;
  setrlimit(RLIMIT_STACK, &small);
  const bool started = run.start();
  setrlimit(RLIMIT_STACK, &before);
  ASSERT_TRUE(started) << run.recorder->output();
  FakeAgent agent(run.socket());
  const auto reply = agent.client->request<protocol::MatchReply>(FrameType::kMatch, [&](uint32_t request) {
    return protocol::MatchMessage{request, {symbol}};
  });
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->selections, std::vector<uint64_t>{expected});
}

// std::regex recurses for each term and each group of an expression when it compiles it.
TEST_F(RecorderTest, TheLongestExpressionMatchesTheLongestName) {
  const std::string symbol = "a" + repeated("x", protocol::kMaxSymbolBytes - 1);
  const std::string nested = repeated("(", kMaxPatternNesting);
  const std::string closed = repeated(")", kMaxPatternNesting);
  expect_matches_on_a_small_stack(run, symbol,
                                  {symbol.substr(0, kMaxPatternBytes - 2) + "x*", nested + "ax*" + closed,
                                   repeated("(?:", kMaxPatternNesting) + "[ax]+" + closed},
                                  {"b" + symbol.substr(1, kMaxPatternBytes - 3) + "x*", nested + "x*" + closed});
}

// It recurses for each term that may match nothing, too, when it matches.
TEST_F(RecorderTest, TheLongestExpressionsOfEachKindMatchAShortName) {
  const auto filled = [](const std::string& term) { return repeated(term, kMaxPatternBytes / term.size()); };
  const std::string looks = repeated("(?=", kMaxPatternNesting) + "x" + repeated(")", kMaxPatternNesting);
  expect_matches_on_a_small_stack(run, "x",
                                  {filled("x?"), filled("x*"), filled("(x?)"), filled("(x|)*"), filled("[x]?"),
                                   filled("kernel|") + "x", looks + "x"},
                                  {filled("x?").substr(2) + "y", filled("kernel|"), looks + "xx"});
}

TEST_F(RecorderTest, AnExpressionBeyondTheBoundsIsRefusedWithThem) {
  const auto nested = [](const char* open, size_t depth) { return repeated(open, depth) + "x" + repeated(")", depth); };
  const std::vector<std::pair<std::string, std::string>> refused = {
      {repeated("x", kMaxPatternBytes + 1), "16385 bytes"},
      {nested("(", kMaxPatternNesting + 1), "101 groups"},
      {nested("(?=", kMaxPatternNesting + 1), "101 groups"},
      {"[(\\])]" + nested("(?:x)(", kMaxPatternNesting + 1), "101 groups"}};
  for (const auto& [expression, problem] : refused) {
    RecordedRun one(KERNLOOP_TEST_RECORDER);
    one.select("x", 1, "reachable", "first");
    one.select("x");
    one.config["selections"][1]["after"] = {{"match", expression}};
    EXPECT_FALSE(one.start());
    EXPECT_EQ(one.recorder->wait(), 2);
    const Json error = one.event("error");
    EXPECT_EQ(error.value("code", ""), "CONFIG_INVALID") << one.recorder->output();
    EXPECT_NE(error.value("message", "").find("selections[1]: after: \"match\""), std::string::npos) << error;
    EXPECT_NE(error.value("message", "").find(problem), std::string::npos) << error;
    EXPECT_LT(error.value("message", "").size(), 1000u) << "the expression itself would hide the message";
    EXPECT_NE(error.value("hint", "").find("shorter"), std::string::npos) << error;
  }
  // Parentheses that are no groups.
  RecordedRun literal(KERNLOOP_TEST_RECORDER);
  literal.select(repeated("\\(", kMaxPatternNesting + 1) + "[" + repeated("(", kMaxPatternNesting + 1) + "]");
  EXPECT_TRUE(literal.start()) << literal.recorder->output();
}

TEST_F(RecorderTest, AnExpressionThatCannotBeMatchedIsRefusedByName) {
  for (const char* expression : {"(a)\\1", "a)(b", "x{99999}{99999}", "x{99999999999}"}) {
    RecordedRun one(KERNLOOP_TEST_RECORDER);
    one.select(expression);
    EXPECT_FALSE(one.start());
    EXPECT_EQ(one.event("error").value("code", ""), "CONFIG_INVALID") << one.recorder->output();
  }
}

TEST_F(RecorderTest, AKernelIsToldWhichSelectionsBeginBehindIt) {
  run.select("^other$", 1, "reachable", "a");
  run.select("^tiny_kernel$", 1, "reachable", "b");
  run.config["selections"][0]["after"] = {{"match", "^tiny"}, {"count", 3}};
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  EXPECT_EQ(agent.welcome.selections.at(0).after, 3u);
  EXPECT_EQ(agent.welcome.selections.at(1).after, 0u);
  EXPECT_EQ(agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address()), 0b10u);
  EXPECT_EQ(agent.kernel.gates, 0b01u);
}

TEST_F(RecorderTest, CodeThatIsLoadedAgainIsTheSameKernelAndOtherCodeIsNot) {
  run.select("tiny");
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  std::vector<uint8_t> other = tiny_code_object();
  other.push_back(0);
  std::vector<uint32_t> identities;
  for (const auto& code : {tiny_code_object(), tiny_code_object(), other}) {
    agent.load(code, "tiny_kernel", kLoadBase + tiny_descriptor_address(), static_cast<uint32_t>(identities.size()));
    identities.push_back(agent.kernel.identity);
  }
  EXPECT_EQ(identities[0], identities[1]);
  EXPECT_NE(identities[0], identities[2]);
}

// An object that is announced with all that is kept leaves no room for the next.
TEST_F(RecorderTest, CodeBeyondWhatIsKeptIsRefusedByNameAndTheProcessGoesOn) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  std::vector<uint8_t> other = tiny_code_object();
  const uint64_t left = (4ull << 30) - other.size();
  agent->client->send(FrameType::kCodeObject, protocol::CodeObjectMessage{7, left}.encode());
  other.push_back(0);
  EXPECT_EQ(agent->load(other, "tiny_kernel", kLoadBase + tiny_descriptor_address(), 1), 1u);
  EXPECT_FALSE(agent->begin(0, 0, 1)->granted);
  agent->client->send(FrameType::kNote, protocol::NoteMessage{"STILL_HERE", ""}.encode());
  agent.reset();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(refusal(), "CODE_OBJECT_UNREADABLE");
  EXPECT_NE(run.event("refused").value("reason", "").find("4 GiB"), std::string::npos) << run.event("refused");
  EXPECT_EQ(run.event("note").value("code", ""), "STILL_HERE");
}

TEST_F(RecorderTest, SeveralDispatchesOfASelectionAreEachACapture) {
  run.select_several("^tiny_kernel", {{3, 4}, {7, nullptr}}, 9);
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  EXPECT_EQ(agent->welcome.selections.at(0).ordinals, (std::vector<protocol::OrdinalRange>{{3, 4}, {7, UINT64_MAX}}));
  for (uint32_t number = 0; number < 3; ++number) {
    agent->prepare = [&](protocol::BeginMessage& message) { message.ordinal = number == 2 ? 7 : 3 + number; };
    ASSERT_TRUE(agent->begin(number)->granted);
    send_capture(*agent, pattern(100), number);
    RecorderSink sink(*agent->client, number);
    if (number == 1) {
      sink.abort({"BYTE_BUDGET", "too much", "less"});
    } else {
      sink.commit({0, 1});
    }
  }
  agent->prepare = [](protocol::BeginMessage& message) { message.ordinal = 7; };
  EXPECT_FALSE(agent->begin(3)->granted) << "it was captured";
  agent->client->matches()[0].store(8);
  agent.reset();
  EXPECT_EQ(run.finish(), 0);
  for (const char* ordinal : {"3", "7"}) {
    auto reader = archive::Reader::open(run.outputs() / ordinal, {});
    ASSERT_TRUE(reader.ok()) << run.recorder->output();
    EXPECT_EQ(std::to_string((*reader)->manifest().dispatch.ordinal), ordinal);
  }
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(run.outputs())) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"3", "7"})) << "no lock, nothing of the refused one";
  EXPECT_EQ(run.event("refused")["ordinal"], 4);
  EXPECT_EQ(run.events("captured").size(), 2u);
  EXPECT_EQ(run.event("captured")["output"], (run.outputs() / "7").string());
  EXPECT_EQ(run.event("summary")["selections"], (Json{{{"id", "s"}, {"matches", 8}}}));
}

// Zero, repeated, compressible and random chunks; one of them changes.
TEST_F(RecorderTest, ADryRunTellsWhatACaptureTakesAndWritesNothing) {
  constexpr uint64_t kChunk = 4u << 20;
  std::vector<uint8_t> pre(4 * kChunk + 1000);
  std::mt19937 random(7);
  for (size_t i = kChunk; i < 2 * kChunk; ++i) pre[i] = static_cast<uint8_t>(random());
  std::copy_n(pre.begin() + kChunk, kChunk, pre.begin() + 2 * kChunk);
  std::fill(pre.begin() + 3 * kChunk, pre.end(), uint8_t{5});
  Json planned, captured;
  for (const bool dry : {true, false}) {
    RecordedRun one(KERNLOOP_TEST_RECORDER);
    one.select("^tiny_kernel");
    one.config["dry_run"] = dry;
    one.config["selections"][0]["byte_budget"] = 1;
    ASSERT_TRUE(one.start());
    FakeAgent agent(one.socket(), 64u << 20);
    agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
    EXPECT_EQ(agent.welcome.selections.at(0).byte_budget, dry ? 0u : 1u) << "what is beyond the budget is told, too";
    ASSERT_TRUE(agent.begin(0)->granted);
    send_capture(agent, pre);
    RecorderSink sink(*agent.client, 0);
    sink.region(1, region_at(kBase + (64u << 20), 64), {protocol::Reached::kRegion, 0});
    sink.pre(1, 0, std::span(pre).subspan(kChunk, 64));  // random
    sink.post(0, 0, std::vector<uint8_t>(kChunk, 6));
    sink.commit({0, 1});
    agent.client.reset();
    EXPECT_EQ(one.finish(), 0);
    (dry ? planned : captured) = one.event(dry ? "planned" : "captured");
    EXPECT_EQ(fs::exists(one.output()), !dry);
    EXPECT_EQ(fs::exists(one.output().parent_path()), !dry) << "not even a folder or a lock";
  }
  ASSERT_FALSE(planned.is_null());
  for (const char* figure : {"bytes_raw", "bytes_stored", "regions", "kernel", "geometry", "bytes_tracked"})
    EXPECT_EQ(planned[figure], captured[figure]) << figure;
  const Json& plan = planned["plan"];
  EXPECT_EQ(plan["scope_bytes"], pre.size() + 64);
  const Json& first = plan["regions"][0];
  EXPECT_EQ(first["bytes"], pre.size());
  EXPECT_EQ(first["bytes_zero"], kChunk);
  EXPECT_EQ(first["bytes_repeated"], kChunk);
  EXPECT_EQ(first["bytes_changed"], kChunk);
  EXPECT_EQ(first["reached"], "arguments");
  EXPECT_GT(first["bytes_stored"], kChunk) << "random bytes do not compress";
  EXPECT_LT(first["bytes_stored"], kChunk + kChunk / 8) << "the others do";
  EXPECT_EQ(plan["regions"][1]["reached"], "region");
  EXPECT_EQ(plan["regions"][1]["from"], "r0");
  EXPECT_EQ(plan["regions"][1]["bytes_stored"], 64);
}

TEST_F(RecorderTest, SeveralDispatchesAreAllOfTheProcessThatCameFirst) {
  run.select_several("^tiny_kernel", {{1, nullptr}}, 9);
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  const pid_t child = fork();
  if (child == 0) {
    FakeAgent other(run.socket());
    other.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
    other.prepare = [](protocol::BeginMessage& message) { message.ordinal = 2; };
    _exit(other.begin(0)->granted ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(RecorderTest, NoMoreIsTakenThanTheLimitWhateverTheAgentAsks) {
  run.select_several("^tiny_kernel", {{1, nullptr}}, 2);
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  int granted = 0;
  for (uint32_t number = 0; number < 50; ++number) {
    agent->prepare = [&](protocol::BeginMessage& message) { message.ordinal = number + 1; };
    if (!agent->begin(number)->granted) continue;
    ++granted;
    RecorderSink(*agent->client, number).abort({"BYTE_BUDGET", "too much", "less"});
  }
  EXPECT_EQ(granted, 2 + static_cast<int>(protocol::kMaxWidenings));
}

TEST_F(RecorderTest, ABusyOutputCostsTheOtherSelectionsNothing) {
  run.select("x");
  ASSERT_TRUE(run.start());
  RecordedRun second(KERNLOOP_TEST_RECORDER);
  second.config["selections"].push_back({{"id", "busy"}, {"match", "tiny"}, {"output", run.output().string()}});
  second.select("^tiny_kernel", 2, "reachable", "free");
  ASSERT_TRUE(second.start());
  FakeAgent agent(second.socket());
  agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
  EXPECT_FALSE(agent.begin(0, 0)->granted);
  EXPECT_TRUE(agent.begin(1, 1)->granted);
  EXPECT_EQ(second.event("refused").value("code", ""), "CAPTURE_BUSY");
  EXPECT_EQ(second.event("refused").value("id", ""), "busy");
}

TEST_F(RecorderTest, ASecondRecorderOfTheSameOutputIsBusy) {
  run.select("x");
  ASSERT_TRUE(run.start());
  RecordedRun second(KERNLOOP_TEST_RECORDER);
  second.config["selections"].push_back({{"id", "s"}, {"match", "x"}, {"output", run.output().string()}});
  EXPECT_FALSE(second.start());
  EXPECT_NE(second.recorder->wait(), 0);
  EXPECT_EQ(second.event("error").value("code", ""), "CAPTURE_BUSY");
  EXPECT_EQ(run.finish(), 0);
  // Free again afterwards.
  EXPECT_TRUE(second.start());
  EXPECT_EQ(second.finish(), 0);
}

TEST_F(RecorderTest, LeftoversOfADeadRecorderAreRemovedAndNothingElse) {
  run.select("x");
  const fs::path parent = run.output().parent_path();
  fs::create_directories(parent / "capture.partial-999999/deep");
  const std::vector<std::string> dead = {"999998-replaced", "host-7", "host-7-shrunk"};
  const std::vector<std::string> mine = {"notes", "by-hand-2a", "copy", ""};
  for (const auto& ends : {dead, mine})
    for (const std::string& end : ends) fs::create_directories(parent / ("capture.partial-" + end));
  fs::create_directories(parent / "capture.partially");
  fs::create_directories(parent / "capture");
  ASSERT_TRUE(run.start());
  EXPECT_FALSE(fs::exists(parent / "capture.partial-999999"));
  for (const std::string& end : dead) EXPECT_FALSE(fs::exists(parent / ("capture.partial-" + end))) << end;
  for (const std::string& end : mine) EXPECT_TRUE(fs::exists(parent / ("capture.partial-" + end))) << end;
  EXPECT_TRUE(fs::exists(parent / "capture.partially"));
  EXPECT_TRUE(fs::exists(parent / "capture"));
  run.finish();
}

TEST_F(RecorderTest, ACompleteCaptureReplacesAnOlderOne) {
  run.select("^tiny_kernel");
  fs::create_directories(run.output());
  std::ofstream(run.output() / "capture.json") << "old";
  std::ofstream(run.output() / "selfcheck.json") << "of the old one";
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(100));
  RecorderSink(*agent->client, 0).commit({0, 1});
  agent.reset();
  run.finish();
  EXPECT_TRUE(archive::Reader::open(run.output(), {}).ok());
  EXPECT_FALSE(fs::exists(run.output() / "selfcheck.json"));
  EXPECT_TRUE(run.leftovers().empty());
}

TEST_F(RecorderTest, AFolderOfTheUserIsFilledAndStaysTheSame) {
  run.select("^tiny_kernel");
  fs::create_directories(run.output() / "mine");
  std::ofstream(run.output() / "chunks.pack.partial-12") << "old";
  struct stat before, after;
  ASSERT_EQ(stat(run.output().c_str(), &before), 0);
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(64));
  RecorderSink(*agent->client, 0).commit({0, 1});
  agent.reset();
  EXPECT_EQ(run.finish(), 0) << run.recorder->output();
  EXPECT_TRUE(archive::Reader::open(run.output(), {}).ok());
  ASSERT_EQ(stat(run.output().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(run.output())) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"capture.json", "chunks.pack", "mine", "observed.json"}));
  EXPECT_TRUE(run.leftovers().empty());
}

TEST_F(RecorderTest, WhatAUserPutBesideAnOlderCaptureIsKept) {
  run.select("^tiny_kernel");
  fs::create_directories(run.output() / "mine" / "deep");
  const auto write = [&](const char* name, const char* text) { std::ofstream(run.output() / name) << text; };
  write("notes.txt", "measured on Tuesday");
  write("mine/deep/data.bin", "x");
  fs::create_symlink("nowhere", run.output() / "link");
  for (const char* ours :
       {"capture.json", "observed.json", "selfcheck.json", "nvrtc.json", "triton.json", "chunks.pack"})
    write(ours, "old");
  write("selfcheck.json.partial-12", "old");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(64));
  RecorderSink(*agent->client, 0).commit({0, 1});
  agent.reset();
  EXPECT_EQ(run.finish(), 0) << run.recorder->output();
  EXPECT_TRUE(archive::Reader::open(run.output(), {}).ok());
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(run.output())) names.insert(entry.path().filename().string());
  EXPECT_EQ(names,
            (std::set<std::string>{"capture.json", "chunks.pack", "link", "mine", "notes.txt", "observed.json"}));
  EXPECT_EQ(text_of(run.output() / "notes.txt"), "measured on Tuesday");
  EXPECT_EQ(text_of(run.output() / "mine/deep/data.bin"), "x");
  EXPECT_EQ(fs::read_symlink(run.output() / "link"), "nowhere");
  EXPECT_TRUE(run.leftovers().empty());
}

TEST_F(RecorderTest, AnAbortedCaptureLeavesTheOlderOneAlone) {
  run.select("^tiny_kernel");
  fs::create_directories(run.output());
  std::ofstream(run.output() / "capture.json") << "old";
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(100));
  RecorderSink(*agent->client, 0).abort({"FAULT_ELSEWHERE", "why", "what"});
  agent.reset();
  run.finish();
  EXPECT_EQ(refusal(), "FAULT_ELSEWHERE");
  EXPECT_TRUE(fs::exists(run.output() / "capture.json"));
  EXPECT_TRUE(run.leftovers().empty());
}

// The kernel has a buffer for calls to the host, which is held while it runs.
TEST_F(RecorderTest, ADispatchThatWaitsForItsProgramIsRefusedByName) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  RecorderSink(*agent->client, 0).abort({"RUN_LIMIT", "why", "what"});
  agent.reset();
  run.finish();
  EXPECT_EQ(refusal(), "HOST_CALL");
}

TEST_F(RecorderTest, AnAgentThatVanishesMidwayIsARefusal) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(5u << 20));
  agent.reset();
  run.finish();
  EXPECT_EQ(refusal(), "AGENT_LOST");
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_TRUE(run.leftovers().empty());
}

TEST_F(RecorderTest, WhatHadComeOfACaptureThatIsGivenUpIsTold) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(3u << 20));
  ASSERT_TRUE(run.recorder->wait_for("\"capturing\""));
  // The total is not announced yet.
  EXPECT_FALSE(run.event("capturing").contains("total_bytes"));
  agent.reset();
  run.finish();
  EXPECT_NE(run.event("refused").value("reason", "").find("the 3145728 bytes of it that had come are not kept"),
            std::string::npos)
      << run.recorder->output();
}

TEST_F(RecorderTest, HowFarACaptureIsIsToldOfAllThereIsWhereThatIsKnown) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  RecorderSink sink(*agent->client, 0);
  const std::vector<uint8_t> first = pattern(1u << 20), second = pattern(5u << 20);
  sink.scope(2, 6u << 20);
  sink.kernarg(std::vector<uint8_t>(tiny_kernarg_bytes()));
  // A total below the actual size is ignored.
  sink.total(1);
  sink.region(0, region_at(kBase, first.size()));
  sink.pre(0, 0, first);
  sink.total(first.size() + second.size());
  sink.region(1, region_at(kBase + (8u << 20), second.size()));
  sink.pre(1, 0, second);
  // The last chunk alone differs: all of it has been compared.
  const auto rest = std::span(second).subspan(archive::kChunkBytes);
  while (!run.recorder->wait_for(R"("phase":"after")", std::chrono::seconds(0))) {
    ASSERT_TRUE(sink.post(1, archive::kChunkBytes, rest));
  }
  for (const Json& event : run.events("capturing")) {
    if (event.value("phase", "") == "after") EXPECT_EQ(event.value("bytes", 0u), 6u << 20);
    if (event.contains("total_bytes")) EXPECT_EQ(event.value("total_bytes", 0u), 6u << 20);
  }
  EXPECT_TRUE(run.event("capturing").contains("total_bytes"));
}

TEST_F(RecorderTest, AFullDiskIsARefusalAndTheRecorderGoesOn) {
  run.select("^tiny_kernel", 1, "reachable", "a");
  run.select("^tiny_kernel", 2, "reachable", "b");
  // A file-size limit replaces the full disk: writes beyond it fail in the same places.
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 1u << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  const bool started = run.start();
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(started);
  auto agent = std::make_unique<FakeAgent>(run.socket());
  agent->load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
  ASSERT_TRUE(agent->begin(0, 0)->granted);
  std::vector<uint8_t> noise(16u << 20);
  std::mt19937 random(3);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  send_capture(*agent, noise);
  RecorderSink(*agent->client, 0).commit({0, 1});
  // The next one fits.
  ASSERT_TRUE(agent->begin(1, 1)->granted);
  send_capture(*agent, pattern(100), 1);
  RecorderSink(*agent->client, 1).commit({0, 1});
  agent.reset();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(run.events("refused").size(), 1u) << run.recorder->output();
  EXPECT_FALSE(fs::exists(run.output("a")));
  EXPECT_TRUE(run.leftovers("a").empty());
  EXPECT_TRUE(archive::Reader::open(run.output("b"), {}).ok());
}

TEST_F(RecorderTest, ARingSmallerThanTheDataIsNoLimit) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket(), 2u << 20);
  agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
  ASSERT_TRUE(agent.begin(0)->granted);
  const auto pre = pattern(48u << 20);
  send_capture(agent, pre);
  RecorderSink(*agent.client, 0).commit({0, 1});
  agent.client.reset();
  run.finish();
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader.ok()) << run.recorder->output();
  EXPECT_TRUE(*(*reader)->read_all(pre_of((*reader)->manifest().regions[0]), 1 << 26) == pre);
}

TEST_F(RecorderTest, TheSameStreamGivesTheSameManifestToTheByte) {
  std::string texts[2];
  for (std::string& text : texts) {
    RecordedRun one(KERNLOOP_TEST_RECORDER);
    one.select("^tiny_kernel");
    ASSERT_TRUE(one.start());
    FakeAgent agent(one.socket());
    agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
    ASSERT_TRUE(agent.begin(0)->granted);
    RecorderSink sink(*agent.client, 0);
    sink.kernarg(std::vector<uint8_t>(tiny_kernarg_bytes()));
    // Regions in another order each time: found earlier or later, they are the same capture.
    const bool swapped = &text == &texts[1];
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t base = kBase + ((i == 1) != swapped ? 0x10000 : 0);
      sink.region(i, region_at(base, 64));
      sink.pre(i, 0, pattern(64, static_cast<uint8_t>(base >> 16)));
    }
    sink.commit({static_cast<uint64_t>(std::rand()), 5});
    agent.client.reset();
    one.finish();
    std::ifstream in(one.output() / "capture.json");
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  EXPECT_GT(texts[0].size(), 500u);
  EXPECT_EQ(texts[0], texts[1]);
}

// Chunks that take different times to prepare, some of them twice and some zero, with room for two at a time or for
// all.
TEST_F(RecorderTest, ThreadsAndMemoryChangeNothingInTheCapture) {
  std::vector<uint8_t> bytes(40u << 20);
  std::mt19937 random(3);
  for (size_t chunk = 0; chunk < 10; ++chunk) {
    const auto at = bytes.begin() + static_cast<ptrdiff_t>(chunk * (4u << 20));
    if (chunk % 4 == 0) std::generate(at, at + (4 << 20), [&] { return static_cast<uint8_t>(random()); });
    if (chunk % 4 == 1) std::fill_n(at, 4 << 20, static_cast<uint8_t>(chunk));
    if (chunk % 4 == 2) std::copy_n(at - (8 << 20), 4 << 20, at);
  }
  std::string manifests[2], packs[2];
  for (size_t i = 0; i < 2; ++i) {
    RecordedRun one(KERNLOOP_TEST_RECORDER);
    one.config["pipeline_threads"] = i == 0 ? 1 : 8;
    one.config["pipeline_bytes"] = i == 0 ? 256u << 20 : 8u << 20;
    one.select("^tiny_kernel");
    ASSERT_TRUE(one.start());
    FakeAgent agent(one.socket());
    agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
    ASSERT_TRUE(agent.begin(0)->granted);
    send_capture(agent, bytes);
    RecorderSink(*agent.client, 0).commit({0, 1});
    agent.client.reset();
    EXPECT_EQ(one.finish(), 0);
    manifests[i] = text_of(one.output() / "capture.json");
    packs[i] = text_of(one.output() / "chunks.pack");
  }
  EXPECT_GT(packs[0].size(), 12u << 20);
  EXPECT_EQ(manifests[0], manifests[1]);
  EXPECT_TRUE(packs[0] == packs[1]);
}

TEST_F(RecorderTest, AScopeThatIsAnnouncedAsLargeGoesStraightToTheStore) {
  run.config["store"] = (run.folder() / "store").string();
  run.config["inline_limit_bytes"] = 1u << 20;
  run.select("^tiny_kernel", 1, "all");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  agent->prepare = [](protocol::BeginMessage& begin) { begin.scope = protocol::ScopeMode::kAll; };
  ASSERT_TRUE(agent->begin(0)->granted);
  RecorderSink sink(*agent->client, 0);
  const auto pre = pattern(10u << 20);
  sink.scope(1, pre.size());
  sink.kernarg(std::vector<uint8_t>(tiny_kernarg_bytes()));
  sink.region(0, region_at(kBase, pre.size()));
  sink.pre(0, 0, pre);
  sink.commit({0, 1});
  agent.reset();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_FALSE(fs::exists(run.output() / "chunks.pack"));
  auto reader = archive::Reader::open(run.output(), {run.folder() / "store"});
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_TRUE(*(*reader)->read_all(pre_of((*reader)->manifest().regions[0]), 1 << 24) == pre);
}

TEST_F(RecorderTest, LaunchAttributesAndLargeGridsAreWritten) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  agent->prepare = [](protocol::BeginMessage& begin) {
    begin.geometry.grid_blocks = {0x7fffffff, 1, 1};
    begin.geometry.grid_work_items = {uint64_t{0x7fffffff} * 1024, 1, 1};
    begin.geometry.block_threads = {1024, 1, 1};
    begin.launch_attributes = {{"cooperative", 1}, {"malloc_heap_bytes", uint64_t{1} << 40}};
  };
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(64));
  RecorderSink(*agent->client, 0).commit({1, 5});
  agent.reset();
  EXPECT_EQ(run.finish(), 0);
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const archive::Geometry& geometry = (*reader)->manifest().geometry;
  EXPECT_EQ(geometry.grid_work_items[0], 2199023254528u);
  EXPECT_EQ(geometry.attributes,
            (std::map<std::string, uint64_t>{{"cooperative", 1}, {"malloc_heap_bytes", uint64_t{1} << 40}}));
}

TEST_F(RecorderTest, ACaptureDescribesTheDeviceOfItsOwnQueue) {
  run.config["device"] = {{"kind", "cuda"}, {"identity", "test"}};
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  const char* const names[][2] = {{"GPU 0", "sm_80"}, {"GPU 1", "sm_91"}, {"GPU 2", "sm_100"}};
  for (uint32_t queue : {0, 1, 2}) {
    agent->client->send(FrameType::kQueue,
                        protocol::QueueMessage{queue, names[queue][0], names[queue][1], 32}.encode());
  }
  agent->prepare = [](protocol::BeginMessage& begin) { begin.queue = 1; };
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(64));
  RecorderSink(*agent->client, 0).commit({1, 5});
  agent.reset();
  run.finish();
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ((*reader)->manifest().device.name, "GPU 1");
  EXPECT_EQ((*reader)->manifest().device.isa, "sm_91");
  EXPECT_EQ((*reader)->manifest().device.wavefront_size, 32u);
}

TEST_F(RecorderTest, ProfileRowsAggregateSamples) {
  run.config["mode"] = "profile";
  ASSERT_TRUE(run.start());
  FakeAgent agent(run.socket());
  EXPECT_EQ(agent.welcome.mode, protocol::Mode::kProfile);
  agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
  for (uint64_t value : {30, 10, 20, 1000}) {
    protocol::ProfileMessage sample;
    sample.is_wave_instructions = true;
    sample.value = value;
    sample.geometry.grid_work_items = {value == 1000 ? 512u : 256u, 1, 1};
    sample.resources = {32, std::nullopt, value == 1000 ? 1024u : 512u, 0, 8, 62.5};
    sample.geometry.block_threads = {256, 1, 1};
    if (value == 20) {
      sample.start_ns = (uint64_t{1} << 60) + 1;
      sample.end_ns = sample.start_ns + 20;
      sample.device = 1;
      sample.stream = 7;
    }
    agent.client->send(FrameType::kProfile, sample.encode());
  }
  agent.client.reset();
  run.finish();
  const Json launches = run.event("summary")["kernel_launches"];
  EXPECT_EQ(launches["left_out"], 0);
  EXPECT_EQ(launches["rows"], Json::parse(R"([{"kernel": 0, "start_ns": "1152921504606846977",
      "end_ns": "1152921504606846997", "device": 1, "stream": 7}])"))
      << "only where it is known when it ran";
  const Json row = run.event("summary")["kernel_profile"].at(0);
  EXPECT_EQ(row["dispatches"], 4);
  EXPECT_EQ(row["total"], 1060);
  EXPECT_EQ(row["min"], 10);
  // numpy.quantile([10, 20, 30, 1000], [0.1, 0.5, 0.9])
  EXPECT_EQ(row["p10"], 13);
  EXPECT_EQ(row["median"], 25);
  EXPECT_EQ(row["p90"], 709);
  EXPECT_EQ(row["max"], 1000);
  EXPECT_EQ(row["geometries"].size(), 2u);
  EXPECT_EQ(row["geometries"][0]["dispatches"], 3);
  EXPECT_EQ(row["registers_per_thread"], 32);
  EXPECT_EQ(row["dynamic_shared_bytes"], 512) << "of the most frequent geometry";
  EXPECT_EQ(row["geometries"][1]["dynamic_shared_bytes"], 1024);
  EXPECT_EQ(row["local_bytes_per_thread"], 0) << "known to be none";
  EXPECT_FALSE(row.contains("static_shared_bytes")) << "not known";
  EXPECT_EQ(row["occupancy_percent"], 62.5);
}

TEST_F(RecorderTest, CountersOfAKilledProcessAreStillRead) {
  run.select("^no_match$");
  ASSERT_TRUE(run.start());
  const pid_t child = fork();
  if (child == 0) {
    FakeAgent agent(run.socket());
    agent.load(tiny_code_object(), "tiny_kernel", kLoadBase + tiny_descriptor_address());
    agent.client->counter(0)->store(41);
    agent.client->dispatches()->store(42);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  run.finish();
  const Json summary = run.event("summary");
  EXPECT_EQ(summary["dispatches"], 42);
  EXPECT_EQ(summary["kernels"][0]["dispatches"], 41);
}

TEST_F(RecorderTest, RegionsThatOverlapAreRefusedNotWritten) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  RecorderSink sink(*agent->client, 0);
  for (uint32_t i = 0; i < 2; ++i) {
    sink.region(i, region_at(kBase + i * 32, 64));
    sink.pre(i, 0, pattern(64));
  }
  sink.commit({0, 1});
  agent.reset();
  run.finish();
  EXPECT_EQ(run.events("captured").size(), 0u);
  EXPECT_EQ(run.events("refused").size(), 1u);
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(RecorderTest, AnAgentThatBreaksTheProtocolIsDroppedAndOthersGoOn) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto good = agent_with_kernel();
  {
    FakeAgent bad(run.socket());
    bad.client->send(static_cast<FrameType>(999), std::span<const uint8_t>());
    EXPECT_FALSE(bad.load(tiny_code_object(), "tiny_kernel", 0) == 1);
  }
  ASSERT_TRUE(good->begin(0)->granted);
  send_capture(*good, pattern(100));
  RecorderSink(*good->client, 0).commit({0, 1});
  good.reset();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(run.event("note").value("code", ""), "AGENT_PROTOCOL");
  EXPECT_TRUE(archive::Reader::open(run.output(), {}).ok());
}

// Random frames, and random damage to good ones: the recorder neither crashes nor writes a capture that cannot be read.
TEST_F(RecorderTest, SurvivesAgentsThatSendAnything) {
  run.select(".");
  ASSERT_TRUE(run.start());
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    FakeAgent agent(run.socket(), 2u << 20);
    ASSERT_TRUE(agent.client) << agent.error << run.recorder->output();
    const auto noise = [&](size_t size) {
      std::vector<uint8_t> bytes(size);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 5 == 0 ? random() : 0);
      return bytes;
    };
    for (int frame = 0; frame < 20; ++frame) {
      auto type = static_cast<FrameType>(1 + random() % 18);
      std::vector<uint8_t> payload = noise(random() % 200);
      if (random() % 2 == 0) {  // nearly right
        switch (type) {
          case FrameType::kCodeObject:
            payload = protocol::CodeObjectMessage{static_cast<uint32_t>(random() % 3), random() % 3000}.encode();
            break;
          case FrameType::kCodeObjectBytes:
          case FrameType::kPre:
          case FrameType::kPost:
            payload = protocol::BulkHeader{0, static_cast<uint32_t>(random() % 3), (random() % 3) * 64}.encode();
            payload.resize(payload.size() + random() % 2 * 64);
            break;
          case FrameType::kKernel:
            payload = protocol::KernelMessage{1, static_cast<uint32_t>(random() % 3), kLoadBase, "k", {0}}.encode();
            break;
          case FrameType::kRegion:
            payload = protocol::RegionMessage{0,
                                              static_cast<uint32_t>(random() % 2),
                                              kBase,
                                              64 + random() % 2 * (1ull << 60),
                                              protocol::MemoryClass::kModule,
                                              "x",
                                              random() % 2}
                          .encode();
            break;
          case FrameType::kBegin:
            payload = protocol::BeginMessage{}.encode();
            break;
          case FrameType::kCommit:
            payload = protocol::CommitMessage{}.encode();
            break;
          default:
            break;
        }
        if (!payload.empty() && random() % 3 == 0)
          payload[random() % payload.size()] ^= static_cast<uint8_t>(1u << random() % 8);
      }
      if (!agent.client->send(type, payload)) break;
    }
  }
  EXPECT_EQ(run.finish(), 0) << run.recorder->output().substr(0, 2000);
  EXPECT_EQ(run.event("summary").value("processes", 0), 150);
}

TEST_F(RecorderTest, SurvivesARingOfGarbage) {
  run.select(".");
  ASSERT_TRUE(run.start());
  for (uint64_t head : {uint64_t{8}, uint64_t{4}, uint64_t{1} << 40, ~uint64_t{0}, uint64_t{1} << 20}) {
    FakeAgent agent(run.socket(), 2u << 20);
    ASSERT_TRUE(agent.client);
    // The counters precede the data, the header precedes the counters.
    auto* header = reinterpret_cast<protocol::RingHeader*>(reinterpret_cast<uint8_t*>(agent.client->counter(0)) -
                                                           protocol::kCountersOffset);
    std::memset(static_cast<void*>(agent.client->counter(0) + protocol::kMaxKernels), 0xff, 1 << 20);
    header->head.store(head);
    header->capacity = 3;
    header->tail.store(~uint64_t{0});
    agent.client->send(FrameType::kGoodbye, protocol::Encoded());
  }
  EXPECT_EQ(run.finish(), 0);
}

TEST_F(RecorderTest, ConfigurationErrorsNameTheField) {
  const auto message = [&](Json config) {
    run.config = std::move(config);
    EXPECT_FALSE(run.start());
    EXPECT_EQ(run.recorder->wait(), 2);
    return run.event("error").value("message", run.recorder->output());
  };
  const Json good = run.config;
  Json bad = good;
  bad["mode"] = "both";
  EXPECT_NE(message(bad).find("\"mode\""), std::string::npos);
  bad = good;
  bad["selections"] = {{{"id", "s"}, {"match", "("}, {"output", "/tmp/x/capture"}}};
  EXPECT_NE(message(bad).find("\"match\""), std::string::npos);
  bad["selections"] = {{{"id", "s"}, {"match", "x"}, {"output", "relative"}}};
  EXPECT_NE(message(bad).find("\"output\""), std::string::npos);
  bad["selections"] = {{{"id", "s"}, {"match", "x"}, {"output", "/tmp/x/capture"}, {"ordinal", 0}}};
  EXPECT_NE(message(bad).find("\"ordinal\""), std::string::npos);
  for (const Json& ordinals :
       {Json::array(), Json{{0, 1}}, Json{{2, 1}}, Json{{1, 3}, {3, 4}}, Json{{1, nullptr}, {5, 6}}, Json{3}}) {
    bad["selections"] = {{{"id", "s"}, {"match", "x"}, {"outputs", "/tmp/x/captures"}, {"ordinals", ordinals}}};
    EXPECT_NE(message(bad).find("\"ordinals\""), std::string::npos) << ordinals;
  }
  bad["selections"] = {{{"id", "s"}, {"match", "x"}, {"output", "/tmp/x/capture"}, {"limit", 2}}};
  EXPECT_NE(message(bad).find("\"outputs\""), std::string::npos);
  bad["selections"] = {{{"id", "s"}, {"match", "x"}, {"output", "/tmp/x/capture"}, {"after", {{"match", "("}}}}};
  EXPECT_NE(message(bad).find("after: \"match\""), std::string::npos);
}

TEST_F(RecorderTest, TakesThePlaceOfADeadRecordersSocketAndOfNothingElse) {
  run.select("^tiny_kernel");
  std::ofstream(run.socket()) << "a user's";
  EXPECT_FALSE(run.start());
  EXPECT_EQ(run.recorder->wait(), 2) << run.recorder->output();
  EXPECT_EQ(text_of(run.socket()), "a user's");

  fs::remove(run.socket());
  ASSERT_TRUE(run.start());
  const auto first = std::move(run.recorder);
  EXPECT_FALSE(run.start());
  EXPECT_EQ(run.recorder->wait(), 2) << run.recorder->output();
  EXPECT_EQ(FakeAgent(run.socket()).error, "") << "the first still has its socket";

  first->kill(SIGKILL);
  first->wait();
  EXPECT_TRUE(fs::is_socket(run.socket()));
  EXPECT_TRUE(run.start()) << run.recorder->output();
}

// Two captures must fit under a limit of address space (RLIMIT_AS, strict overcommit).
TEST_F(RecorderTest, OnlyTheThreadThatMatchesNamesHasRoomForDeepRecursion) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(1 << 20));
  const fs::path process = "/proc/" + std::to_string(run.recorder->pid());
  const auto threads = [&] {
    return std::distance(fs::directory_iterator(process / "task"), fs::directory_iterator());
  };
  constexpr ptrdiff_t kThoseOfOneCapture = 9;
  ASSERT_TRUE(soon([&] { return threads() > kThoseOfOneCapture; }));

  constexpr uint64_t kLarge = uint64_t{100} << 20;
  size_t large = 0;
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char access[5] = "";
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access), 3) << line;
    large += std::string(access) == "rw-p" && end - begin >= kLarge;
  }
  EXPECT_EQ(large, 1u);
}

TEST_F(RecorderTest, SigtermCleansUpAndIsNoSuccess) {
  run.select("^tiny_kernel");
  ASSERT_TRUE(run.start());
  auto agent = agent_with_kernel();
  ASSERT_TRUE(agent->begin(0)->granted);
  send_capture(*agent, pattern(1 << 20));
  run.recorder->kill(SIGTERM);
  EXPECT_EQ(run.recorder->wait(), 128 + SIGTERM);
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_TRUE(run.leftovers().empty());
  // The agent notices, and does not wait for ever.
  EXPECT_FALSE(agent->begin(1));
}

}  // namespace
}  // namespace kernloop::recorder
