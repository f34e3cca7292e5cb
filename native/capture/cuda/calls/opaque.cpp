// Calls that hide an address in an opaque object.
#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

template <typename Params>
void after_encode(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<Params>();
  call.agent.tensor_maps.encoded(*p.tensorMap, reinterpret_cast<uint64_t>(p.globalAddress));
}

}  // namespace

#define ON(function) \
  table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kAlways, nullptr, after_encode<function##_params>)

void add_opaque_calls(ApiTable& table) {
  ON(cuTensorMapEncodeTiled);
  ON(cuTensorMapEncodeIm2col);
  ON(cuTensorMapEncodeIm2colWide);
  ON(cuTensorMapReplaceAddress);
}

#undef ON

}  // namespace kernloop::capture
