// Makes L2 cache lines that a kernel made persistent (evict_last) ordinary ones again, which later accesses can evict.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "cuda/driver.h"

namespace kernloop::cuda {

class LineDemoter {
 public:
  // In the current context, of a device from sm_80 on: others have no such lines.
  static Result<std::unique_ptr<LineDemoter>> load(const Driver& driver);
  ~LineDemoter();
  LineDemoter(const LineDemoter&) = delete;
  LineDemoter& operator=(const LineDemoter&) = delete;

  // Takes whole lines of mapped memory. Returns when it is done.
  Status demote(uint64_t base, uint64_t bytes);

 private:
  explicit LineDemoter(const Driver& driver) : driver_(driver) {}

  const Driver& driver_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

}  // namespace kernloop::cuda
