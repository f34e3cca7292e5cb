// Programs that exist between nvrtcCreateProgram and nvrtcDestroyProgram, and the record that a compilation leaves of
// each.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "capture/nvrtc/api.h"
#include "capture/nvrtc/program_record.h"

namespace kernloop::nvrtc {

/// Never fails towards the app: unrecordable programs are logged.
class Recorder {
 public:
  Recorder(std::string folder, std::string log_pattern);

  void created(Program program, ProgramRecord record);
  void name_expression(Program program, const char* expression);
  void compiled(const Api& api, Program program, int options, const char* const* option);
  void destroyed(Program program);
  void log(const char* format, ...) __attribute__((format(printf, 2, 3)));

 private:
  const std::string folder_;
  const std::string log_pattern_;
  std::mutex mutex_;
  std::map<Program, ProgramRecord> programs_;
  unsigned long written_ = 0;
  size_t written_bytes_ = 0;
};

}  // namespace kernloop::nvrtc
