// Device memory as files: `<region id>.bin` and `<variable>.bin`, and `dump.json`, which describes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "replay/core/device/device.h"
#include "verdict/target.h"

namespace kernloop::replay {

enum class DumpTime { kPre, kPost };  // before or after the dispatch

struct DumpRequest {
  std::filesystem::path directory;
  std::vector<std::string> names;  // regions and variables; empty: all
  DumpTime time = DumpTime::kPost;
};

// File name that is safe for any variable name: other characters become %xx, and regions' names are never taken.
std::string dump_file_name(const Target& target, const std::vector<Target>& all);

// Helpers for folders of such files other than dumps. `manifest` is the file that is written last.
Status check_files_absent(const std::filesystem::path& directory, const char* manifest,
                          const std::vector<std::string>& files);
// Into a file that is not there yet; {"size", "sha256"}.
Result<Json> write_target(DeviceReplay& device, const Target& target, const std::filesystem::path& path);
Status write_manifest(const std::filesystem::path& path, const Json& facts);

// Called before anything is launched. TARGET_EXISTS if something would be overwritten, USAGE for a name that the
// capture does not have.
Status check_dump(const DumpRequest& request, const std::vector<Target>& targets);

// Raw bytes of the device's memory now. `facts` go into dump.json ("kernloop.dump/1"), which is written last: without
// it a dump is not complete.
Status dump_targets(const DumpRequest& request, DeviceReplay& device, const std::vector<Target>& targets, Json facts);

}  // namespace kernloop::replay
