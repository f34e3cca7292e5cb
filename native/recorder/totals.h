// Counts over all processes, and of each, for the summary.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"
#include "recorder/kernels.h"

namespace kernloop::recorder {

// Totals of one process, once it has ended.
struct ProcessTotals {
  pid_t pid = 0;
  protocol::Hello process;
  uint64_t queues = 0, dispatches = 0;
  struct KernelCount {
    std::string name, symbol, code_object;
    uint64_t dispatches = 0;
  };
  std::vector<KernelCount> kernels;
  std::vector<uint64_t> matches;  // by selection
};

// Identity of a process in the `process` event and the summary.
archive::Json identity_json(pid_t pid, const protocol::Hello& process);

class Totals {
 public:
  void add_process();
  void add_queue();
  void add(ProcessTotals process);
  uint64_t matches(uint32_t selection) const;
  archive::Json summary() const;

 private:
  // A program may start thousands of processes: those beyond are counted together only.
  static constexpr size_t kMaxListed = 256;
  struct Row {
    std::string name;
    uint64_t dispatches = 0;
  };
  mutable std::mutex mutex_;
  uint64_t processes_ = 0, queues_ = 0, dispatches_ = 0;
  std::map<std::pair<std::string, std::string>, Row> kernels_;
  std::vector<ProcessTotals> listed_;
  std::map<size_t, uint64_t> matches_;  // by selection, in the process with the most: each counts for itself
};

}  // namespace kernloop::recorder
