#include "replay/core/lenses/probes.h"

#include <algorithm>
#include <fstream>
#include <functional>

#include "archive/files/file.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMostRequestBytes = 1 << 20;

bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= 200 && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

Status write_new(const std::filesystem::path& path, const void* bytes, uint64_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  file.close();
  if (file) return Unit{};
  return Error{"IO_ERROR", "cannot write " + path.string(), "see whether the disk is full and the folder writable"};
}

}  // namespace

Status set_probes(const ProbesRequest& request, DeviceReplay& device) {
  std::error_code failure;
  if (std::filesystem::exists(request.directory, failure) && !std::filesystem::is_empty(request.directory, failure)) {
    return Error{"TARGET_EXISTS", request.directory.string() + " is not empty, and maps overwrite nothing",
                 "name another folder with --probes-output"};
  }
  const auto text = archive::read_text(request.file, kMostRequestBytes);
  if (!text) return text.error();
  SoftwareExecution* const execution = device.software_execution();
  return execution != nullptr ? execution->set_probes(*text) : unsupported_option("--probes");
}

Result<Json> write_probes(const ProbesRequest& request, DeviceReplay& device) {
  std::error_code failure;
  std::filesystem::create_directories(request.directory, failure);
  if (failure) return archive::io_error("cannot create", request.directory, failure.value());
  Json event = {{"maps", Json::array()}};
  SoftwareExecution* const execution = device.software_execution();
  if (execution == nullptr) return event;
  const auto visited = execution->visit_probes([&](const ProbedMapView& map) -> Status {
    if (!is_file_name(map.name)) {
      return Error{"PROBES_INVALID", "map " + map.name + ": its name is none of a file",
                   "use letters, digits and underscores"};
    }
    const std::string file = map.name + ".bin", counts = map.name + ".counts.bin";
    if (auto done = write_new(request.directory / file, map.records.data(), map.records.size_bytes()); !done)
      return done;
    if (auto done = write_new(request.directory / counts, map.counts.data(), map.counts.size_bytes()); !done)
      return done;
    event["wave_size"] = map.wave_size;
    event["maps"].push_back({{"name", map.name},
                             {"units", map.counts.size()},
                             {"unit_bytes", map.unit_bytes},
                             {"file", file},
                             {"counts_file", counts},
                             {"kept", map.kept},
                             {"dropped", map.dropped}});
    return Unit{};
  });
  if (!visited) return visited.error();
  return event;
}

}  // namespace kernloop::replay
