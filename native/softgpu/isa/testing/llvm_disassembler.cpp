#include "softgpu/isa/testing/llvm_disassembler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace kernloop::softgpu::testing {
namespace {

// LLVM's C API (llvm-c/Disassembler.h, llvm-c/Target.h), whose headers need the package llvm-15-dev.
class Library {
 public:
  explicit Library(unsigned llvm) : name_(llvm == 15 ? "libLLVM-15.so.1" : "libLLVM.so.22.1") {
    library_ = dlopen(name_, RTLD_NOW | RTLD_LOCAL);
    const std::string package = "llvm-" + std::to_string(llvm);
    if (library_ == nullptr)
      throw std::runtime_error(std::string(name_) + " is missing; install " + package + " (Debian: apt-get install " +
                               package + ")");
  }
  const char* name() const { return name_; }

  template <class Function>
  Function symbol(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(std::string(name_) + " has no " + name);
    return reinterpret_cast<Function>(found);
  }

 private:
  const char* name_;
  void* library_;
};

// Results of a child process: its progress, and the answers up to there.
class SharedAnswers {
 public:
  explicit SharedAnswers(size_t items) : bytes_(sizeof(uint64_t) + items) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::runtime_error("no memory for the disassembler's answers");
    done_ = static_cast<volatile uint64_t*>(at);
    lengths_ = static_cast<uint8_t*>(at) + sizeof(uint64_t);
  }
  ~SharedAnswers() { munmap(lengths_ - sizeof(uint64_t), bytes_); }
  SharedAnswers(const SharedAnswers&) = delete;
  SharedAnswers& operator=(const SharedAnswers&) = delete;

  uint64_t done() const { return *done_; }
  void add(uint8_t length) {
    lengths_[*done_] = length;
    *done_ = *done_ + 1;
  }
  std::vector<uint8_t> lengths() const { return {lengths_, lengths_ + *done_}; }

 private:
  size_t bytes_;
  volatile uint64_t* done_;
  uint8_t* lengths_;
};

// Continuation of a child after an item that crashed LLVM. Thousands do: a process for each would take most of a test's
// time.
sigjmp_buf behind_a_death;

// After this many crashes a child makes room for a new one, which bounds the resources that they leak.
constexpr unsigned kDeathsOfAChild = 100;
constexpr int kAnotherChild = 1;

// A crash is expected: it prints nothing and leaves no core file. The handler has its own stack, since stack overflow
// may be the cause.
void die_quietly() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDERR_FILENO);
  static char stack[64 * 1024];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(behind_a_death, 1); };
  action.sa_flags = SA_NODEFER | SA_ONSTACK;
  for (const int fatal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP}) sigaction(fatal, &action, nullptr);
}

}  // namespace

LlvmDisassembler::LlvmDisassembler(const Subject& subject) {
  const Library library(subject.llvm);
  for (const char* name :
       {"LLVMInitializeAMDGPUTargetInfo", "LLVMInitializeAMDGPUTargetMC", "LLVMInitializeAMDGPUDisassembler"})
    library.symbol<void (*)()>(name)();
  std::string features = subject.attributes;
  std::erase(features, ' ');
  if (const std::string flag = "-mattr="; features.starts_with(flag)) features.erase(0, flag.size());
  using Create = void* (*)(const char*, const char*, const char*, void*, int, void*, void*);
  context_ = library.symbol<Create>("LLVMCreateDisasmCPUFeatures")("amdgcn-amd-amdhsa", subject.mcpu, features.c_str(),
                                                                   nullptr, 0, nullptr, nullptr);
  if (context_ == nullptr) throw std::runtime_error(std::string(library.name()) + " does not know " + subject.mcpu);
  disassemble_ = library.symbol<Disassemble>("LLVMDisasmInstruction");
  dispose_ = library.symbol<void (*)(void*)>("LLVMDisasmDispose");
}

LlvmDisassembler::~LlvmDisassembler() {
  dispose_(context_);
}

uint8_t LlvmDisassembler::length_of(const Words& words) const {
  char text[256];
  uint8_t bytes[sizeof(Words)];
  std::memcpy(bytes, words.data(), sizeof bytes);
  const size_t length = disassemble_(context_, bytes, sizeof bytes, 0, text, sizeof text);
  const bool is_read = length != 0 && std::strstr(text, "/*") == nullptr;  // no operand that has no meaning
  return is_read ? static_cast<uint8_t>(length) : 0;
}

std::vector<uint8_t> LlvmDisassembler::answers_to(std::span<const Words> items) {
  SharedAnswers answers(items.size());
  while (answers.done() < items.size()) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process for the disassembler");
    if (child == 0) {
      die_quietly();
      volatile unsigned deaths = 0;
      // Signals stay as they are: a mask to save would be a system call an item.
      if (sigsetjmp(behind_a_death, 0) != 0) {
        answers.add(kDied);
        deaths = deaths + 1;
        if (deaths == kDeathsOfAChild) _exit(kAnotherChild);
      }
      while (answers.done() < items.size()) answers.add(length_of(items[answers.done()]));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    // A crash that the handler could not recover from.
    if (!WIFEXITED(status))
      answers.add(kDied);
    else if (WEXITSTATUS(status) != kAnotherChild)
      break;
  }
  if (answers.done() != items.size()) throw std::runtime_error("the disassembler's process ended early");
  return answers.lengths();
}

std::vector<uint8_t> LlvmDisassembler::lengths(std::span<const Words> items) {
  std::vector<uint8_t> lengths = answers_to(items);
  deaths_ += static_cast<size_t>(std::ranges::count(lengths, kDied));
  std::ranges::replace(lengths, kDied, uint8_t{0});
  return lengths;
}

std::vector<bool> LlvmDisassembler::fatal(std::span<const Words> items) {
  std::vector<bool> fatal;
  for (const uint8_t answer : answers_to(items)) fatal.push_back(answer == kDied);
  return fatal;
}

}  // namespace kernloop::softgpu::testing
