// Puts the device's L2 cache into a stated condition before a launch.
#pragma once

#include <memory>
#include <vector>

#include "cuda/kernels/device_kernels.h"
#include "cuda/kernels/line_demoter.h"
#include "replay/core/device/device.h"
#include "replay/cuda/context.h"

namespace kernloop::replay {

// The first of `ranges`, in their order, that fit into `bytes` together; the last one may be cut.
std::vector<AddressRange> first_bytes(const std::vector<AddressRange>& ranges, uint64_t bytes);

class CachePreparer {
 public:
  CachePreparer(Context& context, cuda::DeviceKernels& kernels) : context_(context), kernels_(kernels) {}
  ~CachePreparer();
  CachePreparer(const CachePreparer&) = delete;
  CachePreparer& operator=(const CachePreparer&) = delete;

  CacheFacts facts(CacheState state) const;
  // `memory`: ranges that the kernel may touch.
  Status prepare(CacheState state, const std::vector<AddressRange>& memory);

 private:
  Status make_scratch();
  Status demote(const std::vector<AddressRange>& memory);
  uint64_t l2_bytes() const;
  uint64_t overwritten_bytes() const { return 3 * l2_bytes(); }

  Context& context_;
  cuda::DeviceKernels& kernels_;
  std::unique_ptr<cuda::LineDemoter> demoter_;
  cuda::CUdeviceptr scratch_ = 0;
  uint64_t scratch_bytes_ = 0;
};

}  // namespace kernloop::replay
