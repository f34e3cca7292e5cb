#include "softgpu/engine/translate/llvm_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "softgpu/engine/translate/exit_handlers.h"

namespace kernloop::softgpu {

namespace {

// Both of these are tested. A later one is used if it is named.
constexpr unsigned kOldest = 15, kNewest = 22;

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("KERNLOOP_SOFTGPU_LLVM")) return {named};
  std::vector<std::string> names;
  for (unsigned version = kNewest; version >= kOldest; --version) {
    const std::string number = std::to_string(version);
    for (const char* folder : {"", "/opt/rocm/lib/llvm/lib/"}) {
      names.push_back(folder + ("libLLVM.so." + number + ".1"));
      names.push_back(folder + ("libLLVM.so." + number + ".0git"));  // of ROCm
      names.push_back(folder + ("libLLVM-" + number + ".so.1"));
      names.push_back(folder + ("libLLVM-" + number + ".so"));
    }
  }
  return names;
}

// An LLVM that the program exports without versions of symbols would take the place of parts of ours.
bool program_exports_llvm() {
  for (const char* name : {"LLVMContextCreate", "_ZN4llvm11LLVMContextC1Ev"}) {
    Dl_info info{};
    const void* const found = ::dlsym(RTLD_DEFAULT, name);
    if (!found || ::dladdr(found, &info) == 0 || !info.dli_fname) continue;
    const std::string_view path = info.dli_fname;
    if (path.substr(path.rfind('/') + 1).substr(0, 7) != "libLLVM") return true;
  }
  return false;
}

// LLVM ends the program if it gets no memory: a limit of address space (RLIMIT_AS) has to leave enough.
bool has_address_space() {
  constexpr size_t kEnough = size_t{1} << 30;
  void* const memory = ::mmap(nullptr, kEnough, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, kEnough) == 0;
}

std::atomic<unsigned> uses{0};
std::atomic<pid_t> user{0};  // a child of fork has none of its threads
std::atomic<bool> is_ending{false}, is_broken{false};

// Lives while a thread opens or uses LLVM.
class InUse {
 public:
  InUse() {
    if (const pid_t self = ::getpid(); user.exchange(self) != self) uses = 0;
    uses.fetch_add(1);
    LlvmLibrary::yield();
  }
  ~InUse() {
    LlvmLibrary::yield();
    uses.fetch_sub(1);
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
};

// The place at which a thread that uses LLVM goes on after a fatal error.
struct FatalError {
  std::jmp_buf before;
  std::string reason;
};
thread_local FatalError* fatal_error = nullptr;

[[noreturn]] void hold_thread() {
  uses.fetch_sub(1);
  for (;;) ::pause();
}

// A part of a compilation that takes a second on an idle machine took more than 5 beside twenty busy processes: LLVM's
// destructors ran then, and the program died of a pure virtual call.
template <typename Condition>
void wait_while(Condition holds) {
  constexpr unsigned kMostMilliseconds = 60'000;
  for (unsigned k = 0; k < kMostMilliseconds && holds(); ++k) ::usleep(1000);
}

void end_uses() {
  is_ending = true;
  if (fatal_error) return;  // this thread ends the program
  wait_while([] { return uses.load() != 0 && user.load() == ::getpid(); });
}

// The process in which a thread is inside of dlopen. LLVM's destructors are registered there one by one, each to be
// called before everything that was registered earlier: no handler of ours can be before them.
std::atomic<pid_t> opener{0};
std::atomic<bool> is_main_thread_over{false};

// The end of a program begins with the thread_local objects of the thread that ends it, before all handlers. The main
// thread ends the program or itself: LLVM is not opened from then on. A thread that did not load this library has no
// such object: if it ends the program while another one is inside of dlopen, it does not wait.
struct EndOfThread {
  ~EndOfThread() {
    if (::syscall(SYS_gettid) == ::getpid()) is_main_thread_over = true;
    wait_while([] { return opener.load() == ::getpid(); });
  }
};

[[gnu::constructor]] void watch_thread_that_loads_us() {
  static thread_local EndOfThread end;
  static_cast<void>(end);
}

// Null if there is none, or the program ends. Even a library that the program has is not opened then: its objects may
// be destroyed, and the loader would make them again.
void* open_library(const std::string& name, bool& is_shared) {
  opener = ::getpid();
  void* library = nullptr;
  if (!is_main_thread_over.load()) {
    is_shared = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
    library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    // Registered after LLVM's destructors, and so called before them.
    if (library) std::atexit(end_uses);
  }
  opener = 0;
  return library;
}

// LLVM would end the program after this. Its functions have no clean-up that matters here: it is not used again.
void on_fatal_error(const char* reason) {
  if (!fatal_error) {
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    std::exit(1);
  }
  fatal_error->reason = reason;
  std::longjmp(fatal_error->before, 1);
}

}  // namespace

bool LlvmLibrary::use(const std::function<void()>& work, std::string& problem) const {
  const InUse in_use;
  FatalError error;
  fatal_error = &error;
  if (!is_broken.load() && setjmp(error.before) == 0) {
    work();
  } else {
    is_broken = true;
    problem = name_ + ": " + error.reason;
  }
  fatal_error = nullptr;
  return !is_broken.load();
}
void LlvmLibrary::yield() {
  if (is_ending.load()) hold_thread();
}

bool LlvmLibrary::load(const std::string& name, unsigned least, std::string& problem) {
  // A library that the program uses itself has the program's handler of fatal errors, or none.
  bool is_shared = false;
  void* const library = open_library(name, is_shared);
  yield();
  if (!library) {
    const char* const reason = ::dlerror();
    if (reason && std::getenv("KERNLOOP_SOFTGPU_LLVM")) problem = reason;
    return false;
  }
  const auto version = reinterpret_cast<void (*)(unsigned*, unsigned*, unsigned*)>(::dlsym(library, "LLVMGetVersion"));
  unsigned minor = 0, patch = 0;
  // LLVM 15 cannot say its version; it is the first one with pointers of no type.
  if (version) {
    version(&version_, &minor, &patch);
  } else {
    version_ = ::dlsym(library, "LLVMPointerTypeInContext") ? 15 : 0;
  }
  if (version_ < least) {
    problem = name + " is older than LLVM " + std::to_string(least);
    return false;
  }
#define X(result, function, parameters)                                                        \
  this->function = reinterpret_cast<result(*) parameters>(::dlsym(library, "LLVM" #function)); \
  if (!this->function) {                                                                       \
    problem = name + " has no function LLVM" #function;                                        \
    return false;                                                                              \
  }
#include "softgpu/engine/translate/llvm_functions.def"
#undef X
  if (!drop_exit_handlers_of(library)) {
    problem = name + " destroys its objects in a way that is not known";
    return false;
  }
  name_ = name;
  InitializeX86TargetInfo();
  InitializeX86Target();
  InitializeX86TargetMC();
  InitializeX86AsmPrinter();
  if (!is_shared) InstallFatalErrorHandler(on_fatal_error);
  return true;
}

const LlvmLibrary* LlvmLibrary::open(unsigned least, std::string& problem) {
  struct Opened {
    LlvmLibrary* library = nullptr;
    std::string problem;
  };
  // Never destroyed: threads may outlive static objects.
  static const Opened& opened = *[least] {
    auto* result = new Opened{};
    const InUse in_use;
    if (program_exports_llvm()) {
      result->problem = "the program exports an LLVM of its own";
    } else if (!has_address_space()) {
      result->problem = "the limit of address space leaves no GiB";
    } else {
      result->problem = "no libLLVM of version " + std::to_string(least) + " or later";
      auto* library = new LlvmLibrary();
      for (const std::string& name : candidates()) {
        if (!library->load(name, std::max(least, kOldest), result->problem)) continue;
        result->library = library;
        break;
      }
    }
    return result;
  }();
  problem = opened.problem;
  return opened.library;
}

}  // namespace kernloop::softgpu
