// llvm_program COMPILE | FATAL | END MILLISECONDS | WAIT: a program in which LLVM is used (llvm_library_test.cpp).
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "softgpu/engine/translate/compiler.h"

namespace {

using kernloop::softgpu::LaneCompiler;

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

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "COMPILE") return compile();
  if (mode == "FATAL") return fatal();
  if (mode == "END" && count > 2) return end(static_cast<unsigned>(std::atoi(words[2])));
  if (mode == "WAIT") return wait_for_any();
  return 3;
}
