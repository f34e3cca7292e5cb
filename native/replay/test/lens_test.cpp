// The file of a lens, which anybody may have written; the placement of its buffers; and replays on a device whose
// kernel is a function of the test.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "replay/core/launch/kernarg.h"
#include "replay/core/lenses/lens_state.h"
#include "replay/core/session/session.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using codeobject::Kernel;

Result<Lens> read(const std::string& text) {
  return parse_lens(text, "lens.json");
}

TEST(LensFile, SaysWhatBelongsToALens) {
  const auto lens = read(R"({"schema": "kernloop.lens/1",
    "variables": [{"name": "counts"}, {"prefix": "__prof"}],
    "buffers": [{"id": "m0", "bytes": 4096, "fill": "0xff"}, {"id": "m-1_b", "bytes": 1}],
    "parameters": [{"buffer": "m-1_b"}, {"u64": "0xffffffffffffffff"}, {"u32": ["0x7", "0xffffffff"]}, {"buffer": "m0"}]})");
  ASSERT_TRUE(lens) << lens.error().message;
  ASSERT_EQ(lens->variables.size(), 2u);
  EXPECT_FALSE(lens->variables[0].is_prefix);
  EXPECT_TRUE(lens->variables[1].is_prefix);
  EXPECT_EQ(lens->variables[1].text, "__prof");
  EXPECT_EQ(lens->buffers[0].fill, 0xff);
  EXPECT_EQ(lens->buffers[1].fill, 0);
  const auto& parameters = lens->parameters;
  EXPECT_EQ(parameters[0].buffer, 1u);
  EXPECT_EQ(parameters[1].values, std::vector<uint64_t>{UINT64_MAX});
  EXPECT_EQ(parameters[2].bytes, 4u);
  EXPECT_EQ(parameters[2].values, (std::vector<uint64_t>{7, UINT32_MAX}));
  EXPECT_EQ(parameters[3].buffer, 0u);
}

TEST(LensFile, RefusesWhatTheFormatDoesNotHave) {
  const auto with = [](const std::string& rest) { return R"({"schema": "kernloop.lens/1", )" + rest + "}"; };
  std::string many = "[";
  for (size_t i = 0; i <= kMaxLensEntries; ++i) many += std::string(i == 0 ? "" : ",") + R"({"u32": "0x1"})";
  const std::string bad[] = {
      "",
      "[]",
      "7",
      "{",
      R"({"variables": [{"name": "a"}]})",
      R"({"schema": "kernloop.lens/2", "variables": [{"name": "a"}]})",
      R"({"schema": 1, "variables": [{"name": "a"}]})",
      R"({"schema": "kernloop.lens/1"})",
      with(R"("variables": [])"),
      with(R"("variables": {"name": "a"})"),
      with(R"("variables": ["a"])"),
      with(R"("variables": [{}])"),
      with(R"("variables": [{"name": ""}])"),
      with(R"("variables": [{"prefix": ""}])"),
      with(R"("variables": [{"name": "a", "prefix": "a"}])"),
      with(R"("variables": [{"name": "a\u0000b"}])"),
      with(R"("variables": [{"name": "a", "size": 8}])"),
      with(R"("variables": [{"name": ")" + std::string(5000, 'a') + R"("}])"),
      with(R"("buffers": [{"id": "a"}])"),
      with(R"("buffers": [{"bytes": 8}])"),
      with(R"("buffers": [{"id": "a", "bytes": 0}])"),
      with(R"("buffers": [{"id": "a", "bytes": -8}])"),
      with(R"("buffers": [{"id": "a", "bytes": 1e3}])"),
      with(R"("buffers": [{"id": "a", "bytes": "8"}])"),
      with(R"("buffers": [{"id": "../a", "bytes": 8}])"),
      with(R"("buffers": [{"id": "", "bytes": 8}])"),
      with(R"("buffers": [{"id": "a/b", "bytes": 8}])"),
      with(R"("buffers": [{"id": "a", "bytes": 8}, {"id": "a", "bytes": 8}])"),
      with(R"("buffers": [{"id": "a", "bytes": 8, "fill": 0}])"),
      with(R"("buffers": [{"id": "a", "bytes": 8, "fill": "0x100"}])"),
      with(R"("buffers": [{"id": "a", "bytes": 18446744073709551615}])"),
      with(R"("buffers": [{"id": "a", "bytes": 17179869184}, {"id": "b", "bytes": 1}])"),
      with(R"("buffers": [{"id": "a", "bytes": 8, "address": "0x400000000000"}])"),
      with(R"("parameters": [{"buffer": "a"}])"),
      with(R"("parameters": [{"u32": "0x100000000"}])"),
      with(R"("parameters": [{"u64": 5}])"),
      with(R"("parameters": [{"u64": "5"}])"),
      with(R"("parameters": [{"u64": "0x5", "u32": "0x5"}])"),
      with(R"("parameters": [{"u16": "0x5"}])"),
      with(R"("parameters": [null])"),
      with(R"("parameters": )" + many + "]"),
      with(R"("registers": 5, "variables": [{"name": "a"}])"),
      with(R"("variables": )" + std::string(5000, '[')),
  };
  for (const std::string& text : bad) {
    const auto lens = read(text);
    ASSERT_FALSE(lens) << text.substr(0, 200);
    EXPECT_EQ(lens.error().code, "LENS_INVALID") << text.substr(0, 200) << lens.error().message;
    EXPECT_FALSE(lens.error().hint.empty());
  }
  const archive::TemporaryDirectory directory;
  const auto path = directory.path() / "lens.json";
  EXPECT_EQ(read_lens(path).error().code, "FILE_NOT_FOUND");
  std::ofstream(path) << std::string(2 << 20, ' ');
  EXPECT_EQ(read_lens(path).error().code, "FILE_TOO_LARGE");
}

TEST(LensFile, GivesAnErrorOrALensForAnyBytes) {
  const std::string good = R"({"schema": "kernloop.lens/1", "variables": [{"name": "counts"}, {"prefix": "p"}],
    "buffers": [{"id": "m0", "bytes": 4096, "fill": "0xff"}], "parameters": [{"buffer": "m0"}, {"u64": "0x12"}]})";
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(read(good.substr(0, size))) << size;
  std::mt19937 random(1);
  size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random());
    const auto lens = read(text);
    if (!lens) {
      ++refused;
      continue;
    }
    EXPECT_LE(lens->buffers.size(), 1u);
    for (const LensParameter& parameter : lens->parameters)
      EXPECT_LT(parameter.buffer.value_or(0), lens->buffers.size());
  }
  EXPECT_GT(refused, 1000u);
}

codeobject::KernelArgument argument(uint32_t offset, uint32_t size, const std::string& kind) {
  codeobject::KernelArgument made;
  made.offset = offset;
  made.size = size;
  made.value_kind = kind;
  return made;
}

class AppendedArguments : public testing::Test {
 protected:
  void SetUp() override {
    manifest_.kernarg.bytes = Buffer(24, 0);
    for (size_t i = 0; i < 24; ++i) manifest_.kernarg.bytes[i] = static_cast<uint8_t>(i + 1);
    manifest_.geometry.block_threads = {64, 1, 1};
    manifest_.geometry.grid_work_items = {200, 1, 1};
    captured_.kernarg_bytes = 24;
    captured_.args = {argument(0, 8, "global_buffer"), argument(8, 4, "by_value"),
                      argument(16, 8, "hidden_hostcall_buffer")};
    launched_.kernarg_bytes = 48;
    launched_.args = {argument(0, 8, "global_buffer"),        argument(8, 4, "by_value"),
                      argument(16, 8, "global_buffer"),       argument(24, 4, "by_value"),
                      argument(28, 2, "hidden_group_size_x"), argument(32, 8, "hidden_hostcall_buffer"),
                      argument(40, 4, "hidden_block_count_x")};
  }
  archive::Manifest manifest_;
  Kernel captured_, launched_;
  const std::vector<uint32_t> sizes_ = {8, 4};
};

TEST_F(AppendedArguments, StandBehindTheKernelsOwnAndBeforeHiddenOnes) {
  auto kernarg = build_kernarg(manifest_, captured_, launched_, sizes_);
  ASSERT_TRUE(kernarg) << kernarg.error().message;
  put_appended(launched_, {0x1122334455667788, 0x99aabbcc}, *kernarg);
  EXPECT_EQ(to_hex(*kernarg),
            "0102030405060708"  // captured values
            "090a0b0c00000000"
            "8877665544332211"  // the lens's
            "ccbbaa9940000000"  // blocks of 64
            "1112131415161718"  // the app's bytes at 16
            "0300000000000000");
}

TEST_F(AppendedArguments, AreThoseOfTheLensAlone) {
  const auto refused = [&](const std::vector<uint32_t>& sizes) {
    const auto kernarg = build_kernarg(manifest_, captured_, launched_, sizes);
    return !kernarg && kernarg.error().code == "KERNARG_MISMATCH";
  };
  EXPECT_FALSE(refused({8, 4}));
  for (const std::vector<uint32_t>& sizes : std::vector<std::vector<uint32_t>>{{}, {8}, {4, 8}, {8, 8}, {8, 4, 4}})
    EXPECT_TRUE(refused(sizes)) << sizes.size();
  const Kernel good = launched_;
  launched_.args[0].size = 4;
  EXPECT_TRUE(refused({8, 4})) << "one of the kernel's own is another";
  launched_ = good;
  launched_.args[1].offset = 12;
  EXPECT_TRUE(refused({8, 4}));
  launched_ = good;
  launched_.args[2].value_kind = "dynamic_shared_pointer";
  EXPECT_TRUE(refused({8, 4}));
  launched_ = good;
  launched_.args[2].offset = 10;
  EXPECT_TRUE(refused({8, 4})) << "over the kernel's own bytes";
  launched_ = good;
  launched_.args[3].offset = 20;
  EXPECT_TRUE(refused({8, 4})) << "over each other";
  launched_.args.clear();
  EXPECT_TRUE(refused({8, 4})) << "code that tells nothing of its arguments";
  EXPECT_TRUE(build_kernarg(manifest_, captured_, captured_).ok());
  EXPECT_FALSE(build_kernarg(manifest_, captured_, captured_, {8}).ok());
}

TEST(LensVariables, AreTheVariantsOwnAndInsideOfItsImage) {
  FakeDevice device([](FakeDevice&, const Launch&) {});
  codeobject::CodeObjectInfo captured, variant;
  const auto variable = [](const std::string& name, uint64_t address, uint64_t size) {
    codeobject::Variable made;
    made.name = name;
    made.address = address;
    made.size = size;
    made.writable = true;
    return made;
  };
  captured.variables = {variable("count", 0x100, 8)};
  variant.variables = {variable("alias", 0x104, 4),      variable("count", 0x100, 8), variable("first", 0x110, 8),
                       variable("huge", 0x200, 2 << 30), variable("last", 0xff8, 8),  variable("past", 0xff8, 9)};
  variant.memory_bytes = 0x1000;
  const auto code = *device.load({}, codeobject::CodeObjectInfo{{}, "", 0x1000, {}, {}, {}}, std::nullopt);
  const std::vector<Target> restored = {{true, "count", *code.base + 0x100, 8, {}, {}}};
  const auto find = [&](const std::string& name) {
    return find_lens_variables({{false, name}}, captured, variant, code, restored, device);
  };
  for (const char* own : {"first", "last"}) EXPECT_TRUE(find(own)) << find(own).error().message;
  for (const char* bad : {"count", "alias", "huge", "past", "none"}) {
    const auto found = find(bad);
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().code, "LENS_INVALID") << bad;
  }
  variant.variables[2].managed = true;
  EXPECT_FALSE(find("first")) << "the host may hold it";
  const auto twice = find_lens_variables({{false, "last"}, {true, "la"}}, captured, variant, code, restored, device);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->size(), 1u) << "each once";
}

TEST(LensVariables, HaveMarginsUpToTheirNeighboursAndPages) {
  FakeDevice device([](FakeDevice&, const Launch&) {});
  codeobject::CodeObjectInfo variant;
  const auto add = [&](uint64_t address, uint64_t size) {
    codeobject::Variable made;
    made.name = "v" + std::to_string(address);
    made.address = address;
    made.size = size;
    variant.variables.push_back(made);
  };
  add(0x1010, 0x10);  // another's, before
  add(0x1040, 0x20);  // the lens's
  add(0x1070, 0x10);  // the lens's
  add(0x1100, 0x10);  // another's, behind
  add(0x1ff8, 0x10);  // the lens's, to the next page
  const auto code = *device.load({}, codeobject::CodeObjectInfo{{}, "", 0x3000, {}, {}, {}}, std::nullopt);
  const auto own = [&](uint64_t address, uint64_t size, bool writable) {
    return LensVariable{"own", *code.base + address, writable, Buffer(size)};
  };
  const auto margins = find_margins({own(0x1040, 0x20, true), own(0x1070, 0x10, true), own(0x1ff8, 0x10, true),
                                     own(0x2500, 0x10, false), own(0x2600, 0, true)},
                                    variant, *code.base, device);
  ASSERT_TRUE(margins) << margins.error().message;
  std::vector<AddressRange> found;
  for (const Margin& margin : *margins) {
    found.push_back({margin.range.base - *code.base, margin.range.size});
    EXPECT_EQ(margin.initial.size(), margin.range.size);
  }
  EXPECT_EQ(found, (std::vector<AddressRange>{
                       {0x1020, 0x20}, {0x1060, 0x10}, {0x1080, 0x80}, {0x1110, 0xee8}, {0x2008, 0xff8}}));
}

// A variant of `fill` with two variables more (codeobject/test/data), on the device of the test.
class LensSession : public testing::Test {
 protected:
  SessionEnd run(FakeDevice& device, const archive::Json& lens) {
    const auto capture = directory_.path() / "capture", file = directory_.path() / "lens.json";
    if (!std::filesystem::exists(capture)) capture_.write(capture);
    std::ofstream(file) << lens.dump();
    options_.code_object = test_code_object("padded.hsaco");
    options_.lens = LensRequest{file, directory_.path() / ("out" + std::to_string(runs_++))};
    auto reader = archive::Reader::open(capture, {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    return run_session(options_, **reader, device, output_);
  }
  static archive::Json lens() {
    return {{"schema", "kernloop.lens/1"},
            {"variables", {{{"name", "d_flag"}}}},
            {"buffers", {{{"id", "a"}, {"bytes", 300}, {"fill", "0x11"}}, {{"id", "b"}, {"bytes", 4096}}}}};
  }
  uint64_t address(size_t buffer) {
    const auto told = output_.first("lens")["buffers"][buffer]["address"].get<std::string>();
    return *from_hex_number(told);
  }
  Buffer contents(const std::string& file) {
    const auto text = archive::read_text(options_.lens->directory / file, 1 << 20);
    EXPECT_TRUE(text) << text.error().message;
    return text ? Buffer(text->begin(), text->end()) : Buffer();
  }

  archive::TemporaryDirectory directory_;
  FillCapture capture_;
  Options options_;
  EventList output_;
  int runs_ = 0;
};

TEST_F(LensSession, PutsItsBuffersIntoWindowsOfTheirOwn) {
  FakeDevice device([](FakeDevice&, const Launch&) {});
  device.refused_windows = 2;
  ASSERT_EQ(run(device, lens()).exit_code, kExitPass) << output_.events.back();
  ASSERT_EQ(device.windows.size(), 4u) << "two were refused";
  for (size_t i = 1; i < device.windows.size(); ++i) EXPECT_GE(device.windows[i].base, device.windows[i - 1].end());
  for (const size_t buffer : {0u, 1u}) {
    const AddressRange& window = device.windows[2 + buffer];
    const uint64_t bytes = buffer == 0 ? 300 : 4096, at = address(buffer), end = at + bytes;
    EXPECT_EQ(at % 256, 0u);
    EXPECT_GE(at, window.base + 4096) << "with a granule before it that is not mapped";
    EXPECT_LE(end, window.end() - 4096) << "and one behind";
    EXPECT_LT((4096 - end % 4096) % 4096, 256u) << "which begins behind the alignment";
  }
  device.refused_windows = 1000;
  FakeDevice none([](FakeDevice&, const Launch&) {});
  none.refused_windows = 1000;
  EXPECT_EQ(run(none, lens()).exit_code, kExitEnvironment);
  EXPECT_EQ(output_.events.back()["code"], "ADDRESS_TAKEN");
  EXPECT_LT(none.windows.size(), 100u) << "it ends";
}

TEST_F(LensSession, GivesEveryLaunchTheSameState) {
  for (const bool keeps : {false, true}) {
    std::vector<uint8_t> found;
    const auto base_of = [](const Launch& launch) {
      const auto info = *codeobject::parse_code_object(codeobject::read_test_file("padded.hsaco"), "padded.hsaco");
      return launch.kernel - info.find_kernel("fill")->descriptor_address + info.find_variable("d_flag")->address;
    };
    uint64_t buffer = 0;
    FakeDevice device([&](FakeDevice& d, const Launch& launch) {
      buffer = d.windows.front().base + 8192 - 512;  // a granule before it, and 300 bytes take 512
      for (const uint64_t at : {base_of(launch), buffer}) {
        found.push_back(*d.at(at));
        *d.at(at) = 0x77;
      }
    });
    device.keeps = keeps;
    options_.iterations = 3;
    ASSERT_EQ(run(device, lens()).exit_code, kExitPass) << output_.events.back();
    EXPECT_EQ(found, (std::vector<uint8_t>{0, 0x11, 0, 0x11, 0, 0x11})) << keeps;
    EXPECT_EQ(address(0), buffer);
    EXPECT_EQ(contents("d_flag.bin"), Buffer{0x77});
    Buffer expected(300, 0x11);
    expected[0] = 0x77;
    EXPECT_EQ(contents("a.bin"), expected);
    EXPECT_EQ(contents("b.bin"), Buffer(4096, 0));
    EXPECT_EQ(output_.events.back()["lens_bytes"], 1 + 300 + 4096);
  }
}

TEST_F(LensSession, NoticesOneByteBesideABuffer) {
  for (const int64_t offset : {-1, 300, 511}) {
    FakeDevice device([&](FakeDevice& d, const Launch&) {
      *d.at(d.windows.front().base + 8192 - 512 + static_cast<uint64_t>(offset)) ^= 1;
    });
    EXPECT_EQ(run(device, lens()).exit_code, kExitDevice) << offset;
    const archive::Json fault = output_.first("fault");
    EXPECT_EQ(fault["kind"], "out_of_bounds_write") << fault;
    EXPECT_EQ(fault["near"]["region"], "lens:a");
    EXPECT_EQ(fault["near"]["position"], offset < 0 ? "before" : "behind");
    EXPECT_TRUE(output_.first("lens").is_null());
  }
}

TEST_F(LensSession, LeavesADifferenceInTheAppsMemoryWrong) {
  options_.compare = true;
  FakeDevice device([](FakeDevice&, const Launch&) {});
  EXPECT_EQ(run(device, lens()).exit_code, kExitFail) << "the kernel did nothing";
  EXPECT_EQ(contents("b.bin"), Buffer(4096, 0));
  EXPECT_EQ(output_.events.back()["lens_bytes"], 1 + 300 + 4096);
}

}  // namespace
}  // namespace kernloop::replay
