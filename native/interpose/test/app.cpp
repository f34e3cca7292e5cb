// Calls functions of the toy in one of the ways there are, and prints what they return: `app_linked WAY`, and
// `app_alone WAY`, which is not linked with the toy and opens it for itself alone.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
__attribute__((weak)) int toy_add(int a, int b, int c);
__attribute__((weak)) int toy_sum(int n);
__attribute__((weak)) int toy_weigh(int, int, int, int, int, int, double, double, double, double, double, double,
                                    double, double, double, double, int, int, int, int, int, int, int, int);
__attribute__((weak)) void* tool_next(const char* name);
__attribute__((weak)) int shim_asks();
__attribute__((weak)) void shim_result(int result);
__attribute__((weak)) bool shim_is_used();
}

namespace {

using Add = int (*)(int, int, int);
using OldAdd = int (*)(int, int);
using Sum = int (*)(int);
using Get = int (*)(const char*, void**, int, uint64_t, int*);

// Both are there before main.
Add kept = &toy_add;
void* const looked_up_before_main = ::dlsym(RTLD_DEFAULT, "toy_add");

int say(void* function) {
  if (function == nullptr) return std::printf("none %s\n", ::dlerror() != nullptr ? "error" : "silent"), 0;
  // Programs take a look-up for failed if dlerror says something after it.
  if (const char* error = ::dlerror()) return std::printf("error: %s\n", error), 0;
  return std::printf("%d\n", reinterpret_cast<Add>(function)(1, 2, 3)), 0;
}

int weigh() {
  std::printf("%d\n", toy_weigh(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24));
  return 0;
}

void* opened(const char* file = "libtoy.so.1") {
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::exit(4);
  return library;
}

void* by_proc_address(const char* symbol, int version, uint64_t flags) {
  void* function = nullptr;
  int status = -1;
  const Get get = reinterpret_cast<Get>(::dlsym(opened(), "hipGetProcAddress"));
  return get(symbol, &function, version, flags, &status) == 0 && status == 0 ? function : nullptr;
}

}  // namespace

int main(int, char** words) {
  const std::string way = words[1];
  ::dlerror();  // of the look-up before main
  if (way == "direct") return say(reinterpret_cast<void*>(toy_add));
  if (way == "kept") return say(reinterpret_cast<void*>(kept));
  if (way == "before main") return say(looked_up_before_main);
  if (way == "default") return say(::dlsym(RTLD_DEFAULT, "toy_add"));
  if (way == "default version") return say(::dlvsym(RTLD_DEFAULT, "toy_add", "TOY_2"));
  if (way == "program") return say(::dlsym(::dlopen(nullptr, RTLD_NOW), "toy_add"));
  if (way == "next") return say(::dlsym(RTLD_NEXT, "toy_add"));
  if (way == "next of a tool") return say(tool_next("toy_add"));
  if (way == "handle") return say(::dlsym(opened(), "toy_add"));
  if (way == "handle of a tool") return say(::dlsym(opened("libtool.so"), "toy_add"));
  if (way == "version") return say(::dlvsym(opened(), "toy_add", "TOY_2"));
  if (way == "old version") {
    void* found = ::dlvsym(opened(), "toy_add", "TOY_1");
    return std::printf("%d\n", reinterpret_cast<OldAdd>(found)(1, 2)), say(::dlsym(opened(), "toy_add"));
  }
  if (way == "no version") return say(::dlvsym(opened(), "toy_add", "TOY_9"));
  if (way == "no name") return say(::dlsym(opened(), "toy_nothing"));
  if (way == "after default") {  // nothing is found, and nothing of that is kept
    say(::dlsym(RTLD_DEFAULT, "toy_add"));
    return say(::dlsym(opened(), "toy_add"));
  }
  if (way == "second copy") {
    void* const first = opened();
    say(::dlsym(first, "toy_add"));
    return say(::dlsym(opened("second/libtoy.so.1"), "toy_add"));
  }
  if (way == "closed") {  // the copy with the gate stays, the other one goes
    void* const first = opened();
    void* const gate = ::dlsym(first, "toy_add");
    void* const second = opened("second/libtoy.so.1");
    ::dlsym(second, "toy_add");
    ::dlclose(first);
    ::dlclose(second);
    if (::dlopen("second/libtoy.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr) return std::puts("second is loaded"), 0;
    return say(gate);
  }
  if (way == "only the second copy") return say(::dlsym(opened("second/libtoy.so.1"), "toy_add"));
  if (way == "proc address") return say(by_proc_address("toy_add", 2, 0));
  if (way == "proc address of old") {
    std::printf("%d\n", reinterpret_cast<OldAdd>(by_proc_address("toy_add", 1, 0))(1, 2));
    return say(by_proc_address("toy_add", 2, 0));
  }
  if (way == "proc address of sum") {
    std::printf("%d ", reinterpret_cast<Sum>(by_proc_address("toy_sum", 1, 2))(4));
    std::printf("%d\n", reinterpret_cast<Sum>(by_proc_address("toy_sum", 1, 0))(4));
    return 0;
  }
  if (way == "shim") return opened(), std::printf("%d\n", shim_asks()), 0;
  if (way == "weigh") return weigh();
  if (way == "used") {
    std::printf("%d ", shim_is_used());
    weigh();
    return std::printf("%d\n", shim_is_used()), 0;
  }
  if (way == "result") {
    shim_result(77);
    weigh();
    shim_result(0);
    return weigh();
  }
  return 2;
}
