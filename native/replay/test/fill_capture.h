// A capture of the test kernel `fill` (codeobject/test/data/kernels.hip), computed on the host: the oracle of the
// replay tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "archive/capture/capture_writer.h"
#include "archive/test/temporary_directory.h"
#include "base/testing/seen_events.h"
#include "codeobject/code_object.h"
#include "codeobject/test/test_files.h"
#include "verdict/events.h"

namespace kernloop::replay {

template <typename T>
Buffer as_bytes(const std::vector<T>& values) {
  Buffer bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct FillCapture {
  // Both arrays share a granule with bytes of no region, before, between and behind them.
  static constexpr uint64_t kIn = 0x400000000100, kOut = 0x400000001a40, kCode = 0x500000000000;
  static constexpr int kCount = 200;  // the last wave is partial

  std::vector<float> in, out_pre, out_post, big;
  std::vector<float> table = {5, 6, 7, 8};  // the app has set c_tab
  std::optional<bool> table_told;           // whether the app asked for its address
  int32_t counter_pre = 41, counter_post = 42;
  std::string symbol = "fill", name = "fill(float*, float const*, int)";
  std::string code_object = "baseline.hsaco";
  archive::RegionClass out_class = archive::RegionClass::kDevice;
  std::optional<bool> out_fine_grained;
  std::vector<uint64_t> pointers;          // a third region full of these, when not empty
  std::vector<uint64_t> pointers_written;  // these after the dispatch, when not empty

  FillCapture() {
    for (int i = 0; i < kCount; ++i) {
      in.push_back(static_cast<float>(i) * 0.25f + 1);
      out_pre.push_back(-7);
    }
    for (int i = 0; i < 8; ++i) big.push_back(static_cast<float>(i) * 100);
    for (int i = 0; i < kCount; ++i) out_post.push_back(in[i] * table[i % 4] + big[i % 8]);
  }

  archive::Manifest write(const std::filesystem::path& directory) const {
    auto writer = archive::CaptureWriter::create({directory, std::nullopt});
    EXPECT_TRUE(writer) << writer.error().message;
    const auto put = [&](const Buffer& bytes) { return *(*writer)->put(bytes); };
    const Buffer code = codeobject::read_test_file(code_object);
    const auto info = codeobject::parse_code_object(code, code_object);
    EXPECT_TRUE(info) << info.error().message;
    const codeobject::Kernel& kernel = *info->find_kernel(symbol);

    archive::Manifest manifest;
    manifest.tool.version = "0.1.0";
    manifest.device = {
        "softgpu", "softgpu-gfx90a-1",     "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "Software AMD GPU",
        64,        archive::Json::object()};
    manifest.kernel.name = name;
    manifest.kernel.symbol = symbol;
    manifest.kernel.code_object = info->sha256;
    manifest.kernel.kernarg_bytes = kernel.kernarg_bytes;
    manifest.dispatch.ordinal = 1;
    manifest.geometry.grid_blocks = {4, 1, 1};
    manifest.geometry.block_threads = {64, 1, 1};
    manifest.geometry.grid_work_items = {256, 1, 1};
    Buffer& arguments = manifest.kernarg.bytes = Buffer(kernel.kernarg_bytes, 0);
    const uint64_t addresses[] = {kOut, kIn};
    std::memcpy(arguments.data(), addresses, 16);
    const int32_t count = kCount;
    std::memcpy(arguments.data() + 16, &count, 4);
    for (int i = 0; i < 2; ++i) {
      archive::KernargSlot slot;
      slot.offset = static_cast<uint32_t>(i) * 8;
      slot.size = 8;
      slot.kind = "global_buffer";
      slot.value = to_hex_number(addresses[i]);
      slot.region = i == 0 ? "out" : "in";
      manifest.kernarg.slots.push_back(slot);
    }
    manifest.scope.mode = "reachable";

    const auto region = [&](const char* id, uint64_t base, const Buffer& pre, const Buffer& post) {
      archive::Region r;
      r.id = id;
      r.base = base;
      r.size = pre.size();
      r.api = "test";
      r.pre = put(pre);
      r.post = put(post);
      manifest.regions.push_back(r);
    };
    region("in", kIn, as_bytes(in), as_bytes(in));
    region("out", kOut, as_bytes(out_pre), as_bytes(out_post));
    manifest.regions.back().memory_class = out_class;
    manifest.regions.back().fine_grained = out_fine_grained;
    if (!pointers.empty()) {
      const auto& written = pointers_written.empty() ? pointers : pointers_written;
      region("pointers", 0x400000100000, as_bytes(pointers), as_bytes(written));
    }

    const auto variable = [&](const char* id, const Buffer& pre, const Buffer& post) {
      const codeobject::Variable* found = info->find_variable(id);
      if (!found) return;
      archive::ModuleVariable v;
      v.code_object = info->sha256;
      v.name = id;
      v.address = kCode + found->address;
      v.size = pre.size();
      v.pre = put(pre);
      v.post = put(post);
      manifest.module_variables.push_back(v);
    };
    variable("c_tab", as_bytes(table), as_bytes(table));
    if (!manifest.module_variables.empty()) manifest.module_variables.back().address_told = table_told;
    variable("d_big", as_bytes(big), as_bytes(big));
    variable("d_counter", as_bytes<int32_t>({counter_pre}), as_bytes<int32_t>({counter_post}));
    for (const codeobject::Variable& each : info->variables) {
      if (each.is_device_heap) variable(each.name.c_str(), Buffer(each.size), Buffer(each.size));
    }

    archive::CodeObject object;
    object.sha256 = info->sha256;
    object.size = code.size();
    object.load_base = kCode;
    object.content = put(code);
    manifest.code_objects.push_back(object);
    manifest.execution.wave_instructions = 60;
    const auto finished = (*writer)->finish(manifest, archive::Json::object());
    EXPECT_TRUE(finished) << finished.error().message;
    return manifest;
  }
};

inline std::filesystem::path test_code_object(const std::string& name) {
  return std::filesystem::path(KERNLOOP_CODEOBJECT_TEST_DATA) / name;
}

class EventList final : public EventSink {
 public:
  void emit(const archive::Json& event) override {
    saw_event("kernloop-replay", event);
    events.push_back(event);
  }
  // The first event of that kind; null if there is none.
  archive::Json first(const char* kind) const {
    for (const auto& event : events) {
      if (event.at("event") == kind) return event;
    }
    return nullptr;
  }
  size_t count(const char* kind) const {
    return static_cast<size_t>(
        std::count_if(events.begin(), events.end(), [&](auto& event) { return event.at("event") == kind; }));
  }
  std::vector<archive::Json> events;
};

}  // namespace kernloop::replay
