#include "pgo/pass/shared/options.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MathExtras.h>

namespace kernloop::pgo_pass {

namespace {

using namespace llvm;

struct Options {
  cl::opt<Mode> mode{"kernloop-pgo", cl::desc("Profiles of device code: instrument for one, or optimise by one"),
                     cl::init(Mode::off),
                     cl::values(clEnumValN(Mode::generate, "generate", "count lanes, waves and uniform lanes"),
                                clEnumValN(Mode::use, "use", "optimise by a profile"))};
  cl::opt<unsigned> slots{"kernloop-pgo-slots", cl::desc("Copies of each counter"), cl::init(256)};
  cl::opt<std::string> sample{"kernloop-pgo-sample", cl::desc("Who counts: all, blocks:N, launches:N, sparse:N"),
                              cl::init("sparse:32")};
  cl::opt<bool> skip_guards{"kernloop-pgo-skip-guards",
                            cl::desc("Leave out kernels whose only branch is a guard around all the rest"),
                            cl::init(false)};
  cl::opt<UniformRule> uniform{
      "kernloop-pgo-uniform", cl::desc("With what the mask of a block is compared"), cl::init(UniformRule::branch),
      cl::values(clEnumValN(UniformRule::branch, "branch", "with the mask at the branch that leads there"),
                 clEnumValN(UniformRule::full_mask, "full-mask", "with a full wave"))};
  cl::opt<std::string> map{"kernloop-pgo-map", cl::desc("File for the blocks, counters and classes of each function"),
                           cl::init("")};
};

Options* options = nullptr;

Error refusal(const Twine& message) {
  return createStringError("kernloop-pgo: " + message);
}

Error readSampling(StringRef text, GenerateOptions& result) {
  const auto [kind, count] = text.split(':');
  if (text == "all") {
    result.sampling = Sampling::all;
    result.sample_one_in = 1;
    return Error::success();
  }
  if (kind == "blocks")
    result.sampling = Sampling::blocks;
  else if (kind == "launches")
    result.sampling = Sampling::launches;
  else if (kind == "sparse")
    result.sampling = Sampling::sparse;
  else
    return refusal("-kernloop-pgo-sample=" + text + " is none of all, blocks:N, launches:N, sparse:N");
  if (count.getAsInteger(10, result.sample_one_in) || !isPowerOf2_32(result.sample_one_in) ||
      result.sample_one_in > 65536)
    return refusal("-kernloop-pgo-sample=" + text + ": N is to be a power of two from 1 to 65536");
  if (result.sample_one_in == 1 && result.sampling != Sampling::sparse) result.sampling = Sampling::all;
  return Error::success();
}

}  // namespace

void registerOptions() {
  if (!options) options = new Options;
}

Mode mode() {
  return options->mode;
}

llvm::Expected<GenerateOptions> generateOptions() {
  GenerateOptions result{};
  result.slots = options->slots;
  if (!llvm::isPowerOf2_32(result.slots) || result.slots > 65536)
    return refusal("-kernloop-pgo-slots=" + llvm::Twine(result.slots) + " is to be a power of two from 1 to 65536");
  if (llvm::Error error = readSampling(options->sample, result)) return error;
  result.uniform = options->uniform;
  result.skip_guards = options->skip_guards;
  result.map_file = options->map;
  return result;
}

std::string samplingName(const GenerateOptions& options) {
  const std::string count = ":" + std::to_string(options.sample_one_in);
  switch (options.sampling) {
    case Sampling::all:
      return "all";
    case Sampling::blocks:
      return "blocks" + count;
    case Sampling::launches:
      return "launches" + count;
    case Sampling::sparse:
      return "sparse" + count;
  }
  return "";
}

}  // namespace kernloop::pgo_pass
