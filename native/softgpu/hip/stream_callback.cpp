// hipStreamAddCallback hands its callback a hipError_t of its own.
#include <cstdlib>

#include "interpose/instead_of.h"
#include "softgpu/hip/error.h"

namespace kernloop::softgpu::hip {
namespace {

using Callback = void (*)(void* stream, int status, void* data);

constexpr int kErrorOutOfMemory = 2;

struct Waiting {
  Callback callback;
  void* data;
};

void on_reached(void* stream, int status, void* data) {
  const Waiting waiting = *static_cast<Waiting*>(data);
  std::free(data);
  const int lost = error();
  waiting.callback(stream, lost != 0 ? lost : status, waiting.data);
}

}  // namespace
}  // namespace kernloop::softgpu::hip

using namespace kernloop::softgpu::hip;

INSTEAD_OF(int, hipStreamAddCallback, (void* stream, Callback callback, void* data, unsigned flags)) {
  const auto next = next_hipStreamAddCallback();
  if (callback == nullptr) return next(stream, callback, data, flags);  // HIP has an error for it
  auto* waiting = static_cast<Waiting*>(std::malloc(sizeof(Waiting)));
  if (waiting == nullptr) return kErrorOutOfMemory;
  *waiting = {callback, data};
  const int status = next(stream, on_reached, waiting, flags);
  if (status != 0) std::free(waiting);
  return status;
}
