#include "replay/core/lenses/lens_output.h"

#include "archive/files/file.h"
#include "replay/core/lenses/dump.h"

namespace kernloop::replay {

namespace {

constexpr const char* kLensManifest = "lens.json";

}  // namespace

Status check_lens_output(const LensRequest& request, const LensState& lens) {
  const std::vector<Target> targets = lens.targets();
  std::vector<std::string> files;
  for (const Target& target : targets) files.push_back(dump_file_name(target, targets));
  return check_files_absent(request.directory, kLensManifest, files);
}

Result<Json> write_lens(const LensRequest& request, DeviceReplay& device, const LensState& lens, Json facts) {
  std::error_code failure;
  std::filesystem::create_directories(request.directory, failure);
  if (failure) return archive::io_error("cannot create", request.directory, failure.value());
  const std::vector<Target> targets = lens.targets();
  Json event = {{"variables", Json::array()}, {"buffers", Json::array()}, {"bytes", lens.bytes()}};
  for (const Target& target : targets) {
    const std::string file = dump_file_name(target, targets);
    const auto written = write_target(device, target, request.directory / file);
    if (!written) return written.error();
    event[target.is_variable ? "variables" : "buffers"].push_back({{target.is_variable ? "name" : "id", target.name},
                                                                   {"bytes", target.size},
                                                                   {"address", to_hex_number(target.address)},
                                                                   {"file", file},
                                                                   {"sha256", written->at("sha256")}});
  }
  facts.update(event);
  facts["schema"] = "kernloop.lens-output/1";
  if (auto done = write_manifest(request.directory / kLensManifest, facts); !done) return done.error();
  return event;
}

}  // namespace kernloop::replay
