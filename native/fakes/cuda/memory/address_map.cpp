#include "fakes/cuda/memory/address_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

namespace kernloop::cuda::fake {
namespace {

void* at(uint64_t address) {
  return reinterpret_cast<void*>(address);
}

uint64_t random_number() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<uint64_t>(getpid()) * 0x9E3779B97F4A7C15;
  return number;
}

// Upwards from a random start: allocations are adjacent, at other addresses in every process.
std::atomic<uint64_t>& next_address() {
  constexpr uint64_t kLowest = 0x1000'0000'0000, kSpan = 0x3000'0000'0000;
  static std::atomic<uint64_t> next{kLowest + random_number() % kSpan / kGranule * kGranule};
  return next;
}

// Begin and end, ascending.
std::vector<std::pair<uint64_t, uint64_t>>& left_out() {
  static auto* const kRanges = new std::vector<std::pair<uint64_t, uint64_t>>;
  return *kRanges;
}

bool is_left_out(uint64_t base, uint64_t bytes) {
  return std::any_of(left_out().begin(), left_out().end(),
                     [&](const auto& range) { return base < range.second && range.first < base + bytes; });
}

bool take(uint64_t base, uint64_t bytes) {
  void* const taken =
      mmap(at(base), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (taken == at(base)) return true;
  if (taken != MAP_FAILED) munmap(taken, bytes);
  return false;
}

}  // namespace

void leave_out_what_is_mapped() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line, "%llx-%llx", &begin, &end) == 2) left_out().emplace_back(begin, end);
  }
  std::fclose(maps);
}

std::shared_ptr<Backing> Backing::create(uint64_t bytes) {
  const int fd = memfd_create("fake-cuda", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    close(fd);
    return nullptr;
  }
  return std::shared_ptr<Backing>(new Backing(fd, bytes));
}

std::shared_ptr<Backing> Backing::adopt(int fd) {
  struct stat status = {};
  if (fd < 0 || fstat(fd, &status) != 0) return nullptr;
  return std::shared_ptr<Backing>(new Backing(fd, static_cast<uint64_t>(status.st_size)));
}

std::shared_ptr<Backing> Backing::open(const char* path) {
  return adopt(::open(path, O_RDWR | O_CLOEXEC));
}

Backing::~Backing() {
  close(fd_);
}

uint64_t reserve_pages(uint64_t hint, uint64_t bytes, uint64_t alignment) {
  if (hint != 0) return !is_left_out(hint, bytes) && take(hint, bytes) ? hint : 0;
  for (int attempt = 0; attempt < 64; ++attempt) {
    uint64_t from = next_address().load();
    uint64_t base;
    do {
      base = round_up(from, alignment);
    } while (!next_address().compare_exchange_weak(from, base + round_up(bytes, kGranule)));
    if (take(base, bytes)) return base;
  }
  return 0;
}

void release_pages(uint64_t base, uint64_t bytes) {
  munmap(at(base), bytes);
}

bool map_pages(uint64_t base, uint64_t bytes, const Backing& backing, uint64_t offset, bool accessible) {
  const int rights = accessible ? PROT_READ | PROT_WRITE : PROT_NONE;
  return mmap(at(base), bytes, rights, MAP_SHARED | MAP_FIXED, backing.fd(), static_cast<off_t>(offset)) != MAP_FAILED;
}

void unmap_pages(uint64_t base, uint64_t bytes) {
  mmap(at(base), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool protect_pages(uint64_t base, uint64_t bytes, bool accessible) {
  return mprotect(at(base), bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

}  // namespace kernloop::cuda::fake
