// Launches every kernel once, on sizes that are no multiple of a block, and checks each against the host.
#include "planted.h"

namespace planted {

int failures = 0;

void report(const char* kernel, bool ok) {
  std::printf("%-20s %s\n", kernel, ok ? "ok" : "WRONG");
  failures += !ok;
}

}  // namespace planted

int main() {
  planted::run_elementwise();
  planted::run_stencil();
  planted::run_reduce();
  planted::run_scan();
  planted::run_matrix();
  planted::run_compact();
  planted::run_stateful();
  return planted::failures;
}
