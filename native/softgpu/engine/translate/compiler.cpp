#include "softgpu/engine/translate/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <vector>

#include "softgpu/engine/translate/lane_code.h"

namespace kernloop::softgpu {

namespace {

// KERNLOOP_SOFTGPU_CLANG, or the newest of Debian's, or ROCm's. It must be of LLVM 15 or later, which made the lane
// code.
std::string find_clang() {
  if (const char* named = std::getenv("KERNLOOP_SOFTGPU_CLANG")) return ::access(named, X_OK) == 0 ? named : "";
  for (unsigned version = 30; version >= 15; --version) {
    const std::string path = "/usr/lib/llvm-" + std::to_string(version) + "/bin/clang";
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  const char* rocm = "/opt/rocm/llvm/bin/clang";
  return ::access(rocm, X_OK) == 0 ? rocm : "";
}
// Never destroyed: the thread that translates may outlive static objects.
const std::string& clang() {
  static const std::string& found = *new std::string(find_clang());
  return found;
}

const char* processor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "-march=x86-64-v4";
  return "-march=x86-64-v3";
}

// A file in memory, which no other process finds and which is gone with this one.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const char> bytes = {}) {
    const int file = ::memfd_create("kernloop-translate", MFD_CLOEXEC);
    // Above the numbers that it gets in the child.
    file_ = file < 0 ? -1 : ::fcntl(file, F_DUPFD_CLOEXEC, 64);
    if (file >= 0) ::close(file);
    while (file_ >= 0 && !bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) close();
      if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
    }
    if (file_ >= 0) ::lseek(file_, 0, SEEK_SET);
  }
  ~MemoryFile() { close(); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int number() const { return file_; }

  std::string content() const {
    std::string text;
    char part[65536];
    for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
      const ssize_t count = ::pread(file_, part, sizeof part, at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return text;
      text.append(part, static_cast<size_t>(count));
    }
  }

 private:
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  int file_ = -1;
};

// No libraries of this process in the child: they capture, or are the software GPU.
std::vector<std::string> environment_of_child() {
  return {"PATH=/usr/bin:/bin", "LC_ALL=C"};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Its exit status; -1 if it did not start or somebody else waited for it. The files are its descriptors from 3 on; it
// writes what `-o -` asks for to `output`.
int run_child(std::vector<std::string> words, std::initializer_list<const MemoryFile*> files, const MemoryFile& output,
              const MemoryFile& errors) {
  std::vector<std::string> environment = environment_of_child();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.number(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.number(), 2);
  int next = 3;
  for (const MemoryFile* file : files) ::posix_spawn_file_actions_adddup2(&actions, file->number(), next++);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  pid_t child = -1;
  const int problem = ::posix_spawn(&child, words[0].c_str(), &actions, &attributes, pointers_to(words).data(),
                                    pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (problem != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// For people who look for a mistake.
void keep(const std::string& folder, const std::string& module, const std::string& object) {
  static std::atomic<unsigned> next{0};
  const std::string name =
      folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
  std::ofstream(name + ".ll") << module;
  std::ofstream(name + ".o", std::ios::binary) << object;
}

}  // namespace

bool LaneCompiler::is_here() {
  return !lane_code().empty() && !clang().empty() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

std::string LaneCompiler::compile(const std::string& module, std::string& problem) const {
  const MemoryFile source(module), lanes(lane_code()), bitcode, object, errors;
  for (const MemoryFile* file : {&source, &lanes, &bitcode, &object, &errors}) {
    if (file->number() >= 0) continue;
    problem = std::string("no file in memory: ") + std::strerror(errno);
    return {};
  }
  // clang 15 links bitcode with sources of C alone.
  int status = run_child(
      {clang(), "-x", "ir", "/dev/fd/3", "-c", "-emit-llvm", "-w", "-Xclang", "-disable-llvm-passes", "-o", "-"},
      {&source}, bitcode, errors);
  // Contraction would round less often than the program does.
  if (status == 0) {
    status = run_child({clang(),
                        "-x",
                        "c",
                        "/dev/null",
                        "-O1",
                        processor(),
                        "-mprefer-vector-width=512",
                        "-ffp-contract=off",
                        "-fno-math-errno",
                        "-fPIC",
                        "-c",
                        "-w",
                        "-Xclang",
                        "-mlink-bitcode-file",
                        "-Xclang",
                        "/dev/fd/3",
                        "-Xclang",
                        "-mlink-builtin-bitcode",
                        "-Xclang",
                        "/dev/fd/4",
                        "-o",
                        "-"},
                       {&bitcode, &lanes}, object, errors);
  }
  const std::string built = object.content();
  if (const char* folder = std::getenv("KERNLOOP_SOFTGPU_TRANSLATE_KEEP")) keep(folder, module, built);
  if (status != 0) {
    problem = clang() + " ended with " + std::to_string(status) + ": " + errors.content().substr(0, 500);
    return {};
  }
  return built;
}

}  // namespace kernloop::softgpu
