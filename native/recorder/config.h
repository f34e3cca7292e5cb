// The recorder's configuration file (docs/contributing/seams.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"
#include "base/result.h"
#include "protocol/messages.h"
#include "recorder/name_pattern.h"

namespace kernloop::recorder {

struct Selection {
  std::string id;
  NamePattern match;
  std::optional<NamePattern> gate;  // with request.after
  protocol::SelectionRequest request;
  // Folder of its only capture; or of all captures, each in a subfolder named by its ordinal. None if nothing is
  // captured.
  std::optional<std::filesystem::path> output, outputs;
};

struct Config {
  protocol::Mode mode = protocol::Mode::kCapture;
  bool dry_run = false;  // captures are only reported, and nothing is written
  std::vector<Selection> selections;
  std::optional<std::filesystem::path> store;
  uint64_t inline_limit_bytes = 256u << 20;
  uint32_t pipeline_threads = 0;           // 0: one a core, up to 16, and some for the disk
  uint64_t pipeline_bytes = 256ull << 20;  // chunks on their way to the disk, per capture
  uint64_t drain_limit_ms = 10000;
  uint64_t run_limit_ms = 60000;
  std::string tool_version;
  archive::Json app = archive::Json::object();
  archive::Json device = archive::Json::object();
};

// Called on a deep thread, which read_config makes.
Result<Config> parse_config(std::string_view text, const std::string& where);
Result<Config> read_config(const std::filesystem::path& path);

}  // namespace kernloop::recorder
