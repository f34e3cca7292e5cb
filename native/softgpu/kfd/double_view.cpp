#include "softgpu/kfd/double_view.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

namespace kernloop::softgpu::kfd {
namespace {

struct Piece {
  uint64_t begin, end;
  int protection;
  bool is_shared;
};

// The mappings of the range (proc_pid_maps(5)), or none if it is not mapped throughout.
std::optional<std::vector<Piece>> pieces_of(uint64_t begin, uint64_t end) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return std::nullopt;
  std::vector<Piece> pieces;
  uint64_t reached = begin;
  char line[512];
  bool at_line_start = true;
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    const bool is_entry = at_line_start;
    at_line_start = std::strchr(line, '\n') != nullptr;
    uint64_t from, to;
    char mode[5] = "";
    if (!is_entry || std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, mode) != 3) continue;
    if (to <= reached || from > reached || reached >= end) continue;
    const int protection = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0);
    pieces.push_back({reached, std::min(to, end), protection, mode[3] == 's'});
    reached = pieces.back().end;
  }
  std::fclose(maps);
  if (reached < end) return std::nullopt;
  return pieces;
}

void* at(uint64_t address) {
  return reinterpret_cast<void*>(address);
}

bool share(const Piece& piece) {
  const size_t bytes = piece.end - piece.begin;
  void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  std::memcpy(copy, at(piece.begin), bytes);
  if (::mprotect(copy, bytes, piece.protection) == 0 &&
      ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at(piece.begin)) != MAP_FAILED) {
    return true;
  }
  const int reason = errno;
  ::munmap(copy, bytes);
  errno = reason;
  return false;
}

}  // namespace

bool show_twice(uint64_t user, uint64_t gpu, uint64_t bytes) {
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const auto pieces = pieces_of(user, user + bytes);
  constexpr uint64_t kNear = 64 * 1024;  // the frames of what is called from here, and of the callers
  const bool is_own_stack = here + kNear > user && here - kNear < user + bytes;
  if (!pieces || is_own_stack ||
      !std::ranges::all_of(*pieces, [](const Piece& piece) { return piece.protection & PROT_READ; })) {
    errno = EFAULT;
    return false;
  }
  for (const Piece& piece : *pieces) {
    if (!piece.is_shared && !share(piece)) return false;
    // A size of 0 makes a second mapping of shared pages (mremap(2)).
    if (::mremap(at(piece.begin), 0, piece.end - piece.begin, MREMAP_MAYMOVE | MREMAP_FIXED,
                 at(gpu + (piece.begin - user))) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

}  // namespace kernloop::softgpu::kfd
