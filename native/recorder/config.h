// The recorder's configuration file (docs/contributing/seams.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "archive/manifest.h"
#include "capture/protocol/messages.h"
#include "support/result.h"

namespace kernloop::recorder {

struct Selection {
  std::string id;
  std::string match_text;
  std::regex match;
  uint64_t ordinal = 1;
  capture::ScopeMode scope = capture::ScopeMode::kReachable;
  uint64_t byte_budget = 0;
  std::filesystem::path output;
};

struct Config {
  capture::Mode mode = capture::Mode::kCapture;
  std::vector<Selection> selections;
  std::optional<std::filesystem::path> store;
  uint64_t inline_limit_bytes = 256u << 20;
  uint32_t pipeline_threads = 0;           // 0: one a core, up to 16, and some for the disk
  uint64_t pipeline_bytes = 256ull << 20;  // of chunks on their way to the disk, a capture
  uint64_t drain_limit_ms = 10000;
  uint64_t run_limit_ms = 60000;
  std::string tool_version;
  archive::Json app = archive::Json::object();
  archive::Json device = archive::Json::object();
};

Result<Config> parse_config(std::string_view text, const std::string& where);
Result<Config> read_config(const std::filesystem::path& path);

}  // namespace kernloop::recorder
