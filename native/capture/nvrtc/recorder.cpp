#include "capture/nvrtc/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace kernloop::nvrtc {
namespace {

/// Limit for the code of all programs of a process.
constexpr size_t max_written_bytes = size_t{1} << 30;

using SizeFunction = int (*)(Program, size_t*);
using ContentFunction = int (*)(Program, char*);

/// Empty if the library has none: no cubin if the program was compiled for a virtual architecture.
std::string output_of(SizeFunction size_of, ContentFunction content_of, Program program) {
  size_t size = 0;
  if (size_of == nullptr || content_of == nullptr || size_of(program, &size) != 0 || size == 0) return {};
  if (size > max_code_bytes) return {};
  std::string content(size, '\0');
  if (content_of(program, content.data()) != 0) return {};
  return content;
}

}  // namespace

Recorder::Recorder(std::string folder, std::string log_pattern)
    : folder_(std::move(folder)), log_pattern_(std::move(log_pattern)) {}

void Recorder::created(Program program, ProgramRecord record) {
  if (record.bytes() > max_program_bytes) {
    log("nvrtc: a program of %zu bytes is not recorded (limit %zu)", record.bytes(), max_program_bytes);
    return;
  }
  std::lock_guard lock(mutex_);
  programs_[program] = std::move(record);
}

void Recorder::name_expression(Program program, const char* expression) {
  std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found != programs_.end()) found->second.name_expressions.emplace_back(expression);
}

void Recorder::compiled(const Api& api, Program program, int options, const char* const* option) {
  std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end()) return;
  ProgramRecord& record = found->second;
  record.options.clear();
  for (int i = 0; i < options && i < max_list; ++i) record.options.emplace_back(option[i]);
  const std::string cubin = output_of(api.cubin_size, api.cubin, program);
  std::string ptx = output_of(api.ptx_size, api.ptx, program);
  // Its size counts the null at the end.
  while (!ptx.empty() && ptx.back() == '\0') ptx.pop_back();
  const size_t bytes = record.bytes() + cubin.size() + ptx.size();
  if (record.bytes() > max_program_bytes || written_bytes_ + bytes > max_written_bytes || options > max_list) {
    log("nvrtc: a program is not recorded: the limits are %zu bytes a program, %zu a process and %d options",
        max_program_bytes, max_written_bytes, max_list);
    return;
  }
  const std::string stem = std::to_string(getpid()) + "-" + std::to_string(written_++);
  const std::string problem = write_record(folder_, stem, record, cubin, ptx);
  if (!problem.empty()) log("nvrtc: a program is not recorded: %s", problem.c_str());
  if (problem.empty()) written_bytes_ += bytes;
}

void Recorder::destroyed(Program program) {
  std::lock_guard lock(mutex_);
  programs_.erase(program);
}

void Recorder::log(const char* format, ...) {
  if (log_pattern_.empty()) return;
  std::string path = log_pattern_;
  if (const size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dprintf(file, "%d %s\n", static_cast<int>(getpid()), text);
  close(file);
}

}  // namespace kernloop::nvrtc
