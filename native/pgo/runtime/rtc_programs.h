// Programs that the app compiles at run time, between hiprtcCreateProgram and hiprtcDestroyProgram, and their code, by
// which a module is recognised when it is loaded.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pgo/format/bytes.h"

namespace kernloop::pgo::runtime {

struct RtcProgram {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // name, content
  std::vector<std::string> options, expressions;

  // Takes the arguments of hiprtcCreateProgram and nvrtcCreateProgram; `name`, `names` may be null.
  static RtcProgram made_of(const char* source, const char* name, int headers, const char* const* contents,
                            const char* const* names);
  // Everything that decides its code, for the cache; the architecture is that of the code. None if it is not text.
  std::optional<std::string> request(const std::string& target) const;
};

// "gfx90a:sramecc+:xnack-", from the code itself; empty if it has none.
std::string target_of_code(Bytes code_object);

// Reason why code cannot be exchanged while its module is loaded; empty if it can: a module variable would exist twice.
std::string variable_in_code(Bytes code_object);

class RtcPrograms {
 public:
  void created(void* program, RtcProgram what);
  void expression(void* program, const char* text);
  void compiled(void* program, std::span<const char* const> options);
  void gave_code(void* program, Bytes code);
  void destroyed(void* program);
  // Program of a loaded image.
  std::shared_ptr<const RtcProgram> program_of(Bytes code_object) const;

 private:
  mutable std::mutex mutex_;
  std::map<void*, std::shared_ptr<RtcProgram>> programs_;
  std::map<std::string, std::shared_ptr<const RtcProgram>, std::less<>>
      by_code_;  // never forgotten: modules outlive programs
};

}  // namespace kernloop::pgo::runtime
