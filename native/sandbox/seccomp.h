// The filter of system calls (seccomp-bpf): what Landlock does not see. It is the same for every ABI of Landlock, but
// for signals: before ABI 6 Landlock lets them pass, so that none is allowed.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

namespace kernloop::sandbox {

/// Filters the calls of this process and all that descend from it; needs no_new_privs. Each start of a process or
/// thread then waits for an answer through the descriptor, and fails once nobody holds that.
Result<FileDescriptor> filter_calls(bool allows_signals);

/// Answers to starts of processes and threads.
class Starts {
 public:
  explicit Starts(FileDescriptor listener) : listener_(std::move(listener)) {}
  int descriptor() const { return listener_.get(); }
  /// Answers one waiting start, which may have gone meanwhile. Does not wait if there is none.
  void answer(bool is_allowed);

 private:
  FileDescriptor listener_;
};

}  // namespace kernloop::sandbox
