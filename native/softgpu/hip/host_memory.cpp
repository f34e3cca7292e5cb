#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "interpose/instead_of.h"
#include "softgpu/hip/runtime.h"

// hipHostUnregister of HIP 5.2 ends the program if the device's address of registered memory is the host's. HIP enters
// registered memory into a map under the host's address and under the device's, and takes both out again; the second
// time it misses its entry and calls abort. HIP's unregister is therefore not called: the memory is unlocked in its
// place, and the entry that HIP keeps serves the next registration.
namespace kernloop::softgpu::hip {
namespace {

using Register = int (*)(void* host, size_t size, unsigned flags);
using Unregister = int (*)(void* host);
using Synchronize = int (*)();
using LockMemory = decltype(&hsa_amd_memory_lock);
using UnlockMemory = decltype(&hsa_amd_memory_unlock);

constexpr int kErrorOutOfMemory = 2, kErrorNotRegistered = 713;

struct Known {
  void* host;
  size_t size;
  bool is_registered;
  Known* next;
};

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
Known* g_known = nullptr;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&g_mutex); }
  ~Lock() { pthread_mutex_unlock(&g_mutex); }
};

Known* find(void* host) {
  for (Known* known = g_known; known != nullptr; known = known->next)
    if (known->host == host) return known;
  return nullptr;
}

bool is_known(void* host) {
  const Lock lock;
  return find(host) != nullptr;
}

// Through the runtime's exports, so that a tool in between sees it, too.
bool lock_for_device(void* host, size_t size) {
  const auto lock = reinterpret_cast<LockMemory>(next_function("hsa_amd_memory_lock"));
  void* on_device = nullptr;
  return lock != nullptr && lock(host, size, nullptr, 0, &on_device) == HSA_STATUS_SUCCESS;
}
void unlock_for_device(void* host) {
  const auto unlock = reinterpret_cast<UnlockMemory>(next_function("hsa_amd_memory_unlock"));
  if (unlock != nullptr) unlock(host);
}

int register_host(Register next, void* host, size_t size, unsigned flags) {
  const Lock lock;
  Known* known = find(host);
  if (known != nullptr && !known->is_registered && size != 0 && size <= known->size) {
    if (!lock_for_device(host, size)) return kErrorOutOfMemory;
    known->is_registered = true;
    return 0;
  }
  const int status = next(host, size, flags);
  if (status != 0) return status;
  if (known != nullptr) {
    known->is_registered = true;
    return 0;
  }
  known = static_cast<Known*>(std::malloc(sizeof(Known)));
  if (known == nullptr) return 0;  // unregistering it then is HIP's
  *known = Known{host, size, true, g_known};
  g_known = known;
  return 0;
}

int unregister_host(Unregister next, void* host) {
  if (!is_known(host)) return next(host);  // HIP has an error for it
  const auto synchronize = reinterpret_cast<Synchronize>(next_function("hipDeviceSynchronize"));
  if (synchronize != nullptr) synchronize();  // HIP synchronizes, too
  const Lock lock;
  Known* known = find(host);
  if (!known->is_registered) return kErrorNotRegistered;
  known->is_registered = false;
  unlock_for_device(host);
  return 0;
}

}  // namespace

}  // namespace kernloop::softgpu::hip

using namespace kernloop::softgpu::hip;

INSTEAD_OF(int, hipHostRegister, (void* host, size_t size, unsigned flags)) {
  const auto next = next_hipHostRegister();
  return knows_this_hip() ? register_host(next, host, size, flags) : next(host, size, flags);
}

INSTEAD_OF(int, hipHostUnregister, (void* host)) {
  const auto next = next_hipHostUnregister();
  return knows_this_hip() ? unregister_host(next, host) : next(host);
}
