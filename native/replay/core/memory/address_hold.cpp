#include "replay/core/memory/address_hold.h"

#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>

namespace kernloop::replay {

namespace {

constexpr const char* kRestarted = "KERNLOOP_REPLAY_RESTARTED";

}  // namespace

AddressHold::AddressHold(const std::vector<AddressRange>& ranges) {
  for (const AddressRange& range : ranges) {
    void* wanted = reinterpret_cast<void*>(range.base);
    void* got =
        ::mmap(wanted, range.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) {
      held_.push_back(range);
      continue;
    }
    if (got != MAP_FAILED) ::munmap(got, range.size);  // kernels before 4.17 take the address as a hint
    taken_.push_back(range);
  }
}

void AddressHold::release() {
  for (const AddressRange& range : held_) ::munmap(reinterpret_cast<void*>(range.base), range.size);
  held_.clear();
}

Error address_taken(const AddressRange& range) {
  return {"ADDRESS_TAKEN",
          "captured memory at " + to_hex_number(range.base) + " (" + std::to_string(range.size) +
              " bytes) cannot be restored: those addresses are not to be had in this process",
          "run it again, or without address-space randomisation (setarch -R)"};
}

bool was_restarted() {
  return std::getenv(kRestarted) != nullptr;
}

void restart_without_randomisation(char** argv) {
  if (was_restarted()) return;
  const int current = ::personality(0xffffffff);
  if (current < 0 || (current & ADDR_NO_RANDOMIZE)) return;
  if (::personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE) < 0) return;
  ::setenv(kRestarted, "1", 1);
  ::execv("/proc/self/exe", argv);
}

}  // namespace kernloop::replay
