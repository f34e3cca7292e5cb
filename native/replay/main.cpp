// kernloop-replay: restores a captured dispatch at its original addresses, launches it, and reports the result.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "replay/core/session/session.h"
#include "replay/cuda/cuda_device.h"
#include "replay/cuda/describe.h"
#include "replay/hsa/hsa_device.h"

namespace {

using namespace kernloop;
using namespace kernloop::replay;

// One line of stdout per event, through a descriptor of its own: a driver may write kernels' printf output there,
// unless a back end redirects it.
class Output final : public EventSink {
 public:
  // Written at once: events must be out before a device takes this process down.
  void emit(const archive::Json& event) override {
    const std::string line = ndjson(event) + "\n";
    for (size_t at = 0; at < line.size();) {
      const ssize_t written = ::write(descriptor_, line.data() + at, line.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // the reader is gone
      at += static_cast<size_t>(written);
    }
  }

 private:
  const int descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
};

int fail(Output& output, const Error& error) {
  output.emit(error_event(error));
  return exit_code_of(error);
}

// The back end for the captured kind of device. May start this program again (`argv`).
Result<std::unique_ptr<DeviceReplay>> open_device(const Options& options, const archive::Manifest& manifest,
                                                  char** argv) {
  const std::string& kind = manifest.device.kind;
  if (kind == "softgpu" || kind == "hsa") return open_hsa_device(options, manifest, argv);
  if (kind == "cuda") return open_cuda_device(options, manifest, argv);
  return Error{"DEVICE_MISMATCH", "the capture is of a " + kind + " device, which this program does not drive",
               "capture on softgpu, hsa or cuda"};
}

}  // namespace

int main(int argc, char** argv) {
  Output output;
  auto options = parse_options({argv + 1, argv + argc});
  if (!options) return fail(output, options.error());
  if (options->describe_device == "cuda") {
    auto described = describe_cuda_device(options->device);
    if (!described) return fail(output, described.error());
    output.emit(*described);
    return kExitPass;
  }
  if (const char* store = std::getenv("KERNLOOP_STORE"); store && *store) options->stores.emplace_back(store);

  auto reader = archive::Reader::open(options->capture, options->stores);
  if (!reader) return fail(output, reader.error());
  auto device = open_device(*options, (*reader)->manifest(), argv);
  if (!device) return fail(output, device.error());

  const SessionEnd end = run_session(*options, **reader, **device, output);
  if (end.device_lost) ::_exit(end.exit_code);
  return end.exit_code;
}
