#include "softgpu/hip/stream_callback.h"

#include <atomic>
#include <cstdlib>

#include "softgpu/hip/error.h"

namespace kernloop::softgpu::hip {
namespace {

using Callback = void (*)(void* stream, int status, void* data);
using AddCallback = int (*)(void* stream, Callback callback, void* data, unsigned flags);

constexpr int kErrorOutOfMemory = 2;

std::atomic<AddCallback> g_real{nullptr};

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

int add_callback(void* stream, Callback callback, void* data, unsigned flags) {
  if (callback == nullptr) return g_real.load()(stream, callback, data, flags);  // HIP has an error for it
  auto* waiting = static_cast<Waiting*>(std::malloc(sizeof(Waiting)));
  if (waiting == nullptr) return kErrorOutOfMemory;
  *waiting = {callback, data};
  const int status = g_real.load()(stream, on_reached, waiting, flags);
  if (status != 0) std::free(waiting);
  return status;
}

}  // namespace

void* stream_add_callback_before(void* real) {
  g_real = reinterpret_cast<AddCallback>(real);
  return reinterpret_cast<void*>(&add_callback);
}

}  // namespace kernloop::softgpu::hip
