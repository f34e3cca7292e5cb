// The answers of dlsym and dlvsym (rows.S).
#include <dlfcn.h>

#include "interpose/libc.h"
#include "interpose/row.h"

extern "C" {
// The linker's names for the ends of this library.
__attribute__((visibility("hidden"))) extern const char __ehdr_start[];
__attribute__((visibility("hidden"))) extern const char _end[];

struct Answer {
  void* given;
  void* jump;  // the function that is to answer; nullptr: `given` is the answer
};
}

namespace kernloop::interpose {
namespace {

// A library of ours wants the originals.
bool is_own(const void* caller) {
  return caller >= static_cast<const void*>(__ehdr_start) && caller < static_cast<const void*>(_end);
}

// The next library may be one of ours, too, with rows of its own. Its look-ups are searched for as any function is.
void* next_lookup(std::atomic<void*>& known, const char* name, void* of_libc) {
  if (void* found = known.load(std::memory_order_acquire)) return found;
  void* found = libc_dlsym()(RTLD_NEXT, name);
  if (found == nullptr) found = of_libc;
  known.store(found, std::memory_order_release);
  return found;
}

std::atomic<void*> g_next_dlsym{nullptr}, g_next_dlvsym{nullptr};

// A program that finds nothing prints what dlerror says.
void set_error(const char* name) {
  if (void* libc = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)) libc_dlsym()(libc, name);
}

// `look_up` asks the next library. RTLD_NEXT means what follows the caller, and the gates do not.
template <typename LookUp>
Answer answer_to(void* handle, const char* name, void* caller, void* of_libc, void* next, LookUp look_up) {
  if (is_own(caller)) return {nullptr, of_libc};
  Row* row = handle == RTLD_NEXT || name == nullptr ? nullptr : find_row(name);
  if (row == nullptr) return {nullptr, next};
  void* found = look_up();
  if (found == nullptr) return {nullptr, nullptr};
  void* given = answer(*row, found, caller);
  if (given == nullptr)
    set_error(name);
  else
    ::dlerror();  // what the search left there
  return {given, nullptr};
}

}  // namespace
}  // namespace kernloop::interpose

using namespace kernloop::interpose;

extern "C" __attribute__((visibility("hidden"))) Answer kernloop_interpose_dlsym(void* handle, const char* name,
                                                                                 void* caller) {
  void* const of_libc = reinterpret_cast<void*>(libc_dlsym());
  void* const next = next_lookup(g_next_dlsym, "dlsym", of_libc);
  return answer_to(handle, name, caller, of_libc, next, [&] { return reinterpret_cast<Dlsym>(next)(handle, name); });
}

extern "C" __attribute__((visibility("hidden"))) Answer kernloop_interpose_dlvsym(void* handle, const char* name,
                                                                                  const char* version, void* caller) {
  void* const of_libc = reinterpret_cast<void*>(libc_dlvsym());
  void* const next = next_lookup(g_next_dlvsym, "dlvsym", of_libc);
  return answer_to(handle, name, caller, of_libc, next,
                   [&] { return reinterpret_cast<Dlvsym>(next)(handle, name, version); });
}
