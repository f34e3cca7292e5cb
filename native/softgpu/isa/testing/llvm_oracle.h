// LLVM's assembler and disassembler as the judges of ours. A missing tool fails the test that asks for it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "softgpu/isa/target.h"

namespace kernloop::softgpu::testing {

// The longest instruction and one more dword, so that a literal is always there.
using Words = std::array<uint32_t, 3>;
using Bytes = std::vector<uint8_t>;

// A target as LLVM's tools name it, and their options for it.
struct Subject {
  Target target;
  const char* mcpu;
  const char* attributes;  // attributes for llvm-mc, beside the defaults of the mcpu
  unsigned llvm = 15;      // the first that knows the target
};
inline void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.mcpu << " " << subject.attributes;
}
inline constexpr Subject kSubjectGfx90a{kGfx90a, "gfx90a", ""};
inline constexpr Subject kSubjectGfx942{kGfx942, "gfx942", "", 22};
inline constexpr Subject kSubjectGfx1030{kGfx1030, "gfx1030", ""};
inline constexpr Subject kSubjectGfx1030Wave64{kGfx1030Wave64, "gfx1030", "-mattr=+wavefrontsize64,-wavefrontsize32 "};

inline constexpr Subject kSubjectGfx1100{kGfx1100, "gfx1100", "", 22};
inline constexpr Subject kSubjectGfx1100Wave64{kGfx1100Wave64, "gfx1100", "-mattr=+wavefrontsize64,-wavefrontsize32 ",
                                               22};

class LlvmDisassembler;

class LlvmOracle {
 public:
  explicit LlvmOracle(const Subject& subject);
  ~LlvmOracle();
  const Subject& subject() const { return subject_; }

  // Fails the current test and returns nothing usable if a tool is absent: call with ASSERT_NO_FATAL_FAILURE.
  void require();

  // LLVM's text of the first instruction of each item, empty if it refuses it (or crashes on it).
  std::vector<std::optional<std::string>> disassemble(std::span<const Words> items);

  // The bytes of each text alone, empty if LLVM refuses it.
  std::vector<std::optional<Bytes>> assemble(std::span<const std::string> texts);

  // The .text section of a whole source.
  Bytes assemble_section(const std::string& source);

  // Device code of a HIP source at an optimisation level: an offload bundle.
  Bytes compile_hip(const std::string& source_path, const std::string& level);

  // The .text section of each code object for the target in a file with offload bundles.
  std::vector<Bytes> text_sections(const Bytes& file);

 private:
  struct Output {
    bool crashed;
    std::string text;
    std::string errors;
  };
  // The texts of the items up to one that llvm-mc dies of.
  std::vector<std::optional<std::string>> disassemble_once(std::span<const Words> items);
  std::vector<std::optional<std::string>> disassemble_past_deaths(std::span<const Words> items);
  const char* llvm_mc() const;
  Output run(const std::string& program, const std::string& arguments);
  Output run_llvm_mc(const std::string& arguments, const std::string& input);
  Bytes text_section(const std::filesystem::path& object);
  std::filesystem::path scratch();

  Subject subject_;
  std::filesystem::path scratch_;
  std::unique_ptr<LlvmDisassembler> library_;
};

Bytes read_file(const std::filesystem::path& path);

}  // namespace kernloop::softgpu::testing
