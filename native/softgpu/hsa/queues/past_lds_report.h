// Reports on stderr that a kernel goes past the end of LDS: once for each kernel and instruction in a process, for any
// number of launches.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "softgpu/engine/engine.h"
#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {

class PastLdsReport {
 public:
  void tell(const DispatchOutcome& outcome) {
    for (const Fault& finding : outcome.findings) {
      if (finding.kind != Fault::Kind::kLdsOutOfRange || !is_new(finding)) continue;
      report_error(
          "%s; hardware goes on, and so does this: it gives 0 or what nobody has written, and drops what is stored "
          "(KERNLOOP_SOFTGPU_FATAL=lds ends the dispatch instead)",
          finding.text().c_str());
    }
  }

 private:
  bool is_new(const Fault& finding) {
    std::lock_guard lock(mutex_);
    return told_.emplace(finding.kernel, finding.pc).second;
  }

  std::mutex mutex_;
  std::set<std::pair<std::string, uint64_t>> told_;
};

}  // namespace kernloop::softgpu
