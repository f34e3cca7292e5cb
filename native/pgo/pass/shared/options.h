#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

namespace kernloop::pgo_pass {

enum class Mode { off, generate, use };
enum class Sampling : uint32_t { all = 0, blocks = 1, launches = 2, sparse = 3 };
/// Sparse: like blocks, in the first launches of a process and in one of N after those.
inline constexpr uint32_t kSparseFirst = 4096, kSparseOneIn = 8;
enum class UniformRule : uint32_t { branch = 0, full_mask = 1 };

/// Options of the command line. They exist from registerOptions() on: not before the plugin knows that its host is the
/// LLVM it was built for, whose classes a static option would have used.
void registerOptions();

Mode mode();

struct GenerateOptions {
  uint32_t slots;
  Sampling sampling;
  uint32_t sample_one_in;
  UniformRule uniform;
  bool skip_guards;
  std::string map_file;
};

/// An error if a value makes no sense.
llvm::Expected<GenerateOptions> generateOptions();

/// Sampling as written on the command line: "all", "sparse:32".
std::string samplingName(const GenerateOptions& options);

}  // namespace kernloop::pgo_pass
