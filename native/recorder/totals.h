// Counts over all processes, for the summary.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "archive/manifest.h"
#include "recorder/kernels.h"

namespace kernloop::recorder {

class Totals {
 public:
  void add_process() {
    std::lock_guard lock(mutex_);
    ++processes_;
  }
  void add_queue() {
    std::lock_guard lock(mutex_);
    ++queues_;
  }
  void add_dispatches(uint64_t count) {
    std::lock_guard lock(mutex_);
    dispatches_ += count;
  }
  void add_kernel(const KernelRecord& kernel, uint64_t dispatches) {
    std::lock_guard lock(mutex_);
    Row& row = kernels_[{kernel.symbol, kernel.code_object_hex()}];
    row.name = kernel.demangled;
    row.dispatches += dispatches;
  }
  archive::Json summary() const {
    std::lock_guard lock(mutex_);
    archive::Json kernels = archive::Json::array();
    for (const auto& [key, row] : kernels_) {
      kernels.push_back(
          {{"name", row.name}, {"symbol", key.first}, {"code_object", key.second}, {"dispatches", row.dispatches}});
    }
    return {
        {"processes", processes_}, {"queues", queues_}, {"dispatches", dispatches_}, {"kernels", std::move(kernels)}};
  }

 private:
  struct Row {
    std::string name;
    uint64_t dispatches = 0;
  };
  mutable std::mutex mutex_;
  uint64_t processes_ = 0, queues_ = 0, dispatches_ = 0;
  std::map<std::pair<std::string, std::string>, Row> kernels_;
};

}  // namespace kernloop::recorder
