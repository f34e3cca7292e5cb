// A lens for the variants `lens` of the tests, and the data that it read back.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "archive/files/file.h"
#include "archive/manifest/manifest.h"

namespace kernloop::replay {

struct LensFiles {
  static constexpr uint64_t kElements = 200;

  std::filesystem::path folder, output;
  int runs = 0;

  // A file and a folder of its own for every run.
  std::vector<std::string> arguments(const archive::Json& lens) {
    const auto file = folder / "lens.json";
    std::ofstream(file) << lens.dump();
    output = folder / ("out" + std::to_string(runs++));
    return {"--lens", file.string(), "--lens-output", output.string()};
  }

  // Thread i of the first `count` adds i + 1 to element first + i of the buffer `seen`.
  static archive::Json counting(uint64_t count = kElements, uint64_t first = 0) {
    return {{"schema", "kernloop.lens/1"},
            {"variables", {{{"prefix", "lens_"}}}},
            {"buffers", {{{"id", "seen"}, {"bytes", kElements * 8}, {"fill", "0x00"}}}},
            {"parameters", {{{"u32", to_hex_number(count)}}, {{"buffer", "seen"}}, {{"u64", to_hex_number(first)}}}}};
  }
  static std::vector<uint64_t> counted(uint64_t count = kElements) {
    std::vector<uint64_t> values(kElements, 0);
    for (uint64_t i = 0; i < count; ++i) values[i] = i + 1;
    return values;
  }
  static archive::Json selecting(const archive::Json& selector) {
    return {{"schema", "kernloop.lens/1"}, {"variables", archive::Json::array({selector})}};
  }

  template <typename T = uint64_t>
  std::vector<T> read_back(const std::string& file) const {
    const auto text = archive::read_text(output / file, 1 << 24);
    EXPECT_TRUE(text) << text.error().message;
    std::vector<T> values(text ? text->size() / sizeof(T) : 0);
    if (text) std::memcpy(values.data(), text->data(), values.size() * sizeof(T));
    return values;
  }
};

}  // namespace kernloop::replay
