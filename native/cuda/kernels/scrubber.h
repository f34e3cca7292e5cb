// Fills memory that a kernel may read without having written it: shared memory, and local memory as far as a kernel of
// a stated size can reach it. Data of earlier launches would otherwise make a read of unwritten memory look right, the
// same in every replay. Registers cannot be filled.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "cuda/driver.h"

namespace kernloop::cuda {

class Scrubber {
 public:
  // In the current context. `local_bytes` of each thread (CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES of the next kernel); 0: no
  // local memory. Compiled by the driver for that size.
  static Result<std::unique_ptr<Scrubber>> load(const Driver& driver, CUdevice device, uint32_t local_bytes);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  // Every word of that memory is `word` when the following work of the stream begins.
  Status fill(uint32_t word, CUstream stream);

 private:
  Scrubber(const Driver& driver, uint32_t local_bytes) : driver_(driver), local_bytes_(local_bytes) {}
  struct Work {
    uint32_t blocks, threads, shared_bytes;
    bool all_resident = true;  // the grid is what fits at once; its blocks wait for each other
    bool has_local = true;
  };
  Status prepare(CUdevice device);
  Status fill_shared(uint32_t word, CUstream stream);
  Status visit_reserved(uint32_t word, CUstream stream);
  Result<uint32_t> count_found(CUstream stream);
  Status launch(uint32_t word, const Work& work, CUstream stream);

  const Driver& driver_;
  const uint32_t local_bytes_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
  CUdeviceptr found_ = 0;
  uint32_t multiprocessors_ = 0, threads_of_multiprocessor_ = 0, shared_bytes_ = 0;
  uint32_t shared_of_multiprocessor_ = 0, reserved_bytes_ = 0;
  uint64_t launched_ = 0;  // blocks
};

// The word for a poison byte: a large number of every type, of either sign by the poison's uppermost bit, so that
// neither a maximum, a minimum nor a sum passes over it.
uint32_t scrub_word(uint8_t poison);

}  // namespace kernloop::cuda
