// llvm_program COMPILE | FATAL | END MILLISECONDS | SLOW MILLISECONDS | OWN | WAIT | LOOP EXECUTIONS MILLISECONDS: a
// program in which LLVM is used (llvm_library_test.cpp).
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/translate/compiler.h"
#include "softgpu/engine/translate/llvm_library.h"
#include "softgpu/engine/translate/translator.h"

namespace {

using namespace kernloop::softgpu;

std::string functions(unsigned count) {
  std::string text = "target triple = \"x86_64-pc-linux-gnu\"\n";
  for (unsigned k = 0; k < count; ++k) {
    const std::string name = std::to_string(k);
    text += "define i32 @f" + name + "(i32 %a) {\n  %b = mul i32 %a, " + name +
            "\n  %c = xor i32 %b, %a\n  ret i32 %c\n}\n";
  }
  return text;
}

int compile() {
  std::string problem;
  const bool is_done = !LaneCompiler().compile(functions(1), problem).empty();
  std::puts(is_done ? "compiled" : problem.c_str());
  return is_done ? 0 : 1;
}

// The second one is refused, because LLVM was left in the middle of the first.
int fatal() {
  std::string problem;
  LaneCompiler().compile(
      "target triple = \"x86_64-pc-linux-gnu\"\n"
      "define void @f() {\n  call void asm \"nop\", \"\"()\n  ret void\n}\n",
      problem);
  std::puts(problem.c_str());
  return LaneCompiler().compile(functions(1), problem).empty() ? 0 : 1;
}

int end(unsigned milliseconds) {
  static std::atomic<bool> has_begun{false};
  std::thread([] {
    const std::string module = functions(3000);
    std::string problem;
    has_begun = true;
    for (;;) LaneCompiler().compile(module, problem);
  }).detach();
  while (!has_begun) ::usleep(100);
  ::usleep(milliseconds * 1000);
  return 0;
}

// Ends with 7 if it comes to what it registered before LLVM was opened while a thread is in LLVM.
int end_slowly(unsigned milliseconds) {
  static std::atomic<bool> is_in_llvm{false};
  std::atexit([] {
    if (is_in_llvm) ::_exit(7);
  });
  std::thread([milliseconds] {
    std::string problem;
    const LlvmLibrary* const llvm = LlvmLibrary::open(15, problem);
    if (!llvm) std::_Exit(8);
    llvm->use(
        [milliseconds] {
          is_in_llvm = true;
          std::puts("in LLVM"), std::fflush(stdout);
          ::usleep(milliseconds * 1000);
          std::puts("out of LLVM"), std::fflush(stdout);
          is_in_llvm = false;
        },
        problem);
  }).detach();
  while (!is_in_llvm) ::usleep(100);
  return 0;
}

// The program has the library of KERNLOOP_SOFTGPU_LLVM itself. A thread opens it while its objects are destroyed.
int end_with_own() {
  static int ends[2];
  if (::pipe(ends) != 0) return 8;
  ::setenv("KERNLOOP_TEST_PIPE", std::to_string(ends[1]).c_str(), 1);
  std::thread([] {
    char byte = 0;
    std::string problem;
    if (::read(ends[0], &byte, 1) == 1) LlvmLibrary::open(15, problem);
  }).detach();
  return 0;
}

// A program that waits for any child never sees one of the translator's.
int wait_for_any() {
  std::atomic<bool> is_done{false};
  int status = 1;
  std::thread compiler([&] {
    status = compile();
    is_done = true;
  });
  bool has_children = false;
  while (!is_done) has_children |= ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
  compiler.join();
  return has_children ? 2 : status;
}

// A run as the interpreter executes it, without what it does, for at most so much CPU time.
int loop(unsigned executions, unsigned milliseconds) {
  alignas(4096) static uint32_t code[1024] = {0x68000300, 0x68000300, 0x68000300, 0xbf810000};  // v_add_u32, s_endpgm
  const auto first = reinterpret_cast<uint64_t>(&code[0]), base = first & ~(CodePage::kBytes - 1);
  CodePage page({Isa::kGfx90a, 64}, base, first, first + sizeof code, CodePage::Use::kExecute, nullptr);
  const CodeRun& run = page.run_at(static_cast<unsigned>((first - base) / 4));
  bool is_translated = false;
  for (unsigned k = 0; run.translation && k < executions; ++k)
    is_translated |= run.translation->at_execution(run) != nullptr;
  while (run.translation && !is_translated && std::clock() < milliseconds * (CLOCKS_PER_SEC / 1000))
    is_translated = run.translation->at_execution(run) != nullptr;
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  std::printf("%s, LLVM is %s\n", is_translated ? "translated" : "interpreted",
              mapped.find("libLLVM") == std::string::npos ? "closed" : "open");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "COMPILE") return compile();
  if (mode == "FATAL") return fatal();
  if (mode == "END" && count > 2) return end(static_cast<unsigned>(std::atoi(words[2])));
  if (mode == "SLOW" && count > 2) return end_slowly(static_cast<unsigned>(std::atoi(words[2])));
  if (mode == "LOOP" && count > 3)
    return loop(static_cast<unsigned>(std::atoi(words[2])), static_cast<unsigned>(std::atoi(words[3])));
  if (mode == "OWN") return end_with_own();
  if (mode == "WAIT") return wait_for_any();
  return 3;
}
