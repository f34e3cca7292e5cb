// What the app compiles at run time: programs between hiprtcCreateProgram and hiprtcDestroyProgram, and the code that
// came of them, by which a module is known when it is loaded.
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

  // As hiprtcCreateProgram and nvrtcCreateProgram are given it; `name`, `names` may be null.
  static RtcProgram made_of(const char* source, const char* name, int headers, const char* const* contents,
                            const char* const* names);
  // What decides its code, for the cache; the architecture is that of the code. None where it is no text.
  std::optional<std::string> request(const std::string& target) const;
};

// "gfx90a:sramecc+:xnack-", as the code says itself; empty where it does not.
std::string target_of_code(Bytes code_object);

// Why code cannot be exchanged while its module is loaded; empty where it can: a module variable would be there twice.
std::string variable_in_code(Bytes code_object);

class RtcPrograms {
 public:
  void created(void* program, RtcProgram what);
  void expression(void* program, const char* text);
  void compiled(void* program, std::span<const char* const> options);
  void gave_code(void* program, Bytes code);
  void destroyed(void* program);
  // Of an image that is loaded.
  std::shared_ptr<const RtcProgram> program_of(Bytes code_object) const;

 private:
  mutable std::mutex mutex_;
  std::map<void*, std::shared_ptr<RtcProgram>> programs_;
  std::map<std::string, std::shared_ptr<const RtcProgram>, std::less<>>
      by_code_;  // never forgotten: modules outlive programs
};

}  // namespace kernloop::pgo::runtime
