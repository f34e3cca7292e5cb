// kernloop-replay: restores a captured dispatch at its original addresses, launches it, and says what came of it.
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "replay/core/session.h"
#include "replay/hsa/address_hold.h"
#include "replay/hsa/hsa_device.h"

namespace {

using namespace kernloop;
using namespace kernloop::replay;

constexpr uint64_t kPageBytes = 4096;

class Output final : public EventSink {
 public:
  // Flushed at once: what was said must be out before a device takes this process down.
  void emit(const archive::Json& event) override {
    std::cout << event.dump(-1, ' ', false, archive::Json::error_handler_t::replace) << std::endl;
  }
};

int fail(Output& output, const Error& error) {
  output.emit(error_event(error));
  return exit_code_of(error);
}

std::filesystem::path built_in_runtime() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  return program.parent_path().parent_path() / "lib" / "softgpu" / "libhsa-runtime64.so.1";
}

}  // namespace

int main(int argc, char** argv) {
  Output output;
  auto options = parse_options({argv + 1, argv + argc});
  if (!options) return fail(output, options.error());
  if (const char* store = std::getenv("KERNLOOP_STORE"); store && *store) options->stores.emplace_back(store);

  auto reader = archive::Reader::open(options->capture, options->stores);
  if (!reader) return fail(output, reader.error());
  const archive::Manifest& manifest = (*reader)->manifest();
  if (manifest.device.kind != "softgpu" && manifest.device.kind != "hsa") {
    return fail(output, {"DEVICE_MISMATCH",
                         "the capture is of a " + manifest.device.kind + " device, which this program does not drive",
                         "capture on softgpu or hsa"});
  }

  AddressHold hold(lay_out(manifest.regions, kPageBytes).mappings);
  if (!hold.taken().empty()) {
    restart_without_randomisation(argv);
    return fail(output, {"ADDRESS_TAKEN",
                         "captured memory at " + archive::to_hex_number(hold.taken().front().base) + " (" +
                             std::to_string(hold.taken().front().size) +
                             " bytes) cannot be restored: those addresses are not to be had in this process",
                         "run it again, or without address-space randomisation (setarch -R)"});
  }
  // A replay is not to be captured, whatever the environment is set up for.
  ::unsetenv("HSA_TOOLS_LIB");
  const auto runtime = options->hsa_runtime.empty() ? built_in_runtime() : options->hsa_runtime;
  auto device = open_hsa_device(runtime, manifest.device.isa, hold);
  if (!device) return fail(output, device.error());

  const SessionEnd end = run_session(*options, **reader, **device, output);
  if (end.device_lost) ::_exit(end.exit_code);
  return end.exit_code;
}
