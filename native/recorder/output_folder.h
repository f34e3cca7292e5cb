// The folder of one capture: locked against other recorders, filled beside its final place, and moved there when
// complete.
#pragma once

#include <filesystem>
#include <memory>

#include "archive/files/file.h"
#include "base/result.h"

namespace kernloop::recorder {

class OutputFolder {
 public:
  // Takes `<output>.lock`; CAPTURE_BUSY if another recorder has it. Removes remains of dead recorders for this output.
  static Result<std::unique_ptr<OutputFolder>> claim(const std::filesystem::path& output);
  // For measuring only: no lock, and nothing is published.
  static std::unique_ptr<OutputFolder> nowhere() { return std::unique_ptr<OutputFolder>(new OutputFolder); }
  // Removes an unfinished capture, and the lock.
  ~OutputFolder();

  const std::filesystem::path& output() const { return output_; }
  // `<output>.partial-<pid>`: does not exist until the writer makes it.
  const std::filesystem::path& partial() const { return partial_; }
  // Moves the complete capture into place, replacing an older one if there is one: only that one's files are removed. A
  // folder of the user without a capture is filled.
  Status publish();
  void discard();

 private:
  OutputFolder() = default;
  Status lock();
  bool is_of_the_user() const;
  Status fill();
  Status keep_others();
  Status replace_in_two_steps();

  std::filesystem::path output_, partial_, lock_path_;
  FileDescriptor lock_;
};

}  // namespace kernloop::recorder
