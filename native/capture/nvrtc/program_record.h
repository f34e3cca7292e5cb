// An app's arguments to NVRTC for one program, and the file that keeps them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernloop::nvrtc {

struct Header {
  std::string name;
  std::string content;
};

struct ProgramRecord {
  std::string library;
  int version_major = 0;
  int version_minor = 0;
  std::string source;
  /// Null where the app gave none.
  std::optional<std::string> name;
  std::vector<Header> headers;
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;

  size_t bytes() const;
};

/// Limits of one program on memory and disk; a larger one is not recorded, which the log says.
constexpr size_t max_program_bytes = size_t{64} << 20;
constexpr size_t max_code_bytes = size_t{256} << 20;
constexpr int max_list = 65536;

/// `kernloop.nvrtc-program/1`; null if a name or an option is not UTF-8. Contents of files are in base64, since they
/// may be any bytes.
std::optional<std::string> to_json(const ProgramRecord& program, std::string_view cubin_file,
                                   std::string_view ptx_file);

/// Writes STEM.cubin, STEM.ptx (if not empty) and then STEM.json into the folder, each by rename. Returns an error
/// message, or an empty string.
std::string write_record(const std::string& folder, const std::string& stem, const ProgramRecord& program,
                         std::string_view cubin, std::string_view ptx);

}  // namespace kernloop::nvrtc
