#include "softgpu/engine/wave/workgroup.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "softgpu/engine/lanes/lane_moves.h"

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kSgprLines = 128 / UnwrittenFill::kLineWords;
constexpr uint64_t kLinesPerRow = kLanes / UnwrittenFill::kLineWords;

// The first register of the set from `at` on.
size_t first_after(const VectorRegisterSet& set, size_t at) {
  return at == 0 ? set._Find_first() : set._Find_next(at - 1);
}

// Resets the kernel's own rows; an earlier kernel's rows beyond them go back to zero, as in a fresh slot.
void reset_rows(VectorRegister* rows, unsigned owned, unsigned stale, const UnwrittenFill& fill, uint64_t line,
                const VectorRegisterSet& read, size_t first_of_set) {
  const size_t end_of_set = first_of_set + owned;
  for (size_t k = first_after(read, first_of_set); k < end_of_set;) {
    size_t end = k + 1;
    while (end < end_of_set && read.test(end)) ++end;
    const size_t row = k - first_of_set;
    fill.copy(rows[row], (end - k) * kLanes, line + row * kLinesPerRow);
    k = first_after(read, end);
  }
  if (stale > owned) fill_dwords(rows[owned], size_t{stale - owned} * kLanes, 0);
}

}  // namespace

PageBlock::PageBlock(size_t bytes) : size_((bytes + 4095) & ~size_t{4095}) {
  void* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(at);
}

PageBlock::~PageBlock() {
  if (data_) munmap(data_, size_);
}

PageBlock::PageBlock(PageBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PageBlock& PageBlock::operator=(PageBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void WaveScratch::begin_wave(uint32_t bytes_per_lane, const UnwrittenFill& fill) {
  bytes_per_lane_ = (bytes_per_lane + 3) & ~3u;
  fill_ = &fill;
  const size_t size = size_t{bytes_per_lane_} * kLanes;
  if (size > block_.size()) {
    block_ = PageBlock(size);
    filled_end_ = 0;
  } else if (pattern_ != fill.pattern()) {
    filled_end_ = 0;
  } else if (dirty_end_ > 0) {
    lay_fill(0, dirty_end_);
  }
  pattern_ = fill.pattern();
  dirty_end_ = 0;
}

void WaveScratch::lay_fill_up_to(uint32_t offset) {
  constexpr uint32_t kStep = 256;  // bytes of a lane, so that a stack that grows is not filled dword by dword
  const auto room = static_cast<uint32_t>(block_.size() / kLanes);
  const uint32_t end = std::min(room, (offset + kStep - 1) / kStep * kStep);
  lay_fill(filled_end_, end);
  filled_end_ = end;
}

// Both are multiples of 4, or `end` is rounded up to one.
void WaveScratch::lay_fill(uint32_t begin, uint32_t end) {
  const uint64_t first = begin / 4, dwords = (end + 3) / 4 - first;
  fill_->copy(reinterpret_cast<uint32_t*>(at(begin, 0)), dwords * kLanes, first * kLinesPerRow);
}

WaveSlot::WaveSlot() : registers_(size_t{kRegisterRows} * sizeof(VectorRegister)) {
  vgpr = reinterpret_cast<VectorRegister*>(registers_.data());
  agpr = vgpr + 256;
}

void WaveSlot::begin_wave(unsigned vgprs, unsigned agprs, const UnwrittenFill& fill, uint64_t line,
                          const VectorRegisterSet& read) {
  const uint64_t vgpr_line = line + kSgprLines, agpr_line = vgpr_line + vgprs * kLinesPerRow;
  fill.copy(sgpr, 128, line);
  reset_rows(vgpr, vgprs, stale_vgprs_, fill, vgpr_line, read, 0);
  reset_rows(agpr, agprs, stale_agprs_, fill, agpr_line, read, 256);
  stale_vgprs_ = vgprs;
  stale_agprs_ = agprs;
  pc = next_pc = 0;
  scc = (sgpr[0] & 1) != 0;
  mode = Mode{};
  state = WaveState::kReady;
  trap_status = 0;
  workgroup = nullptr;
  memory = nullptr;
  index_in_workgroup = 0;
  instructions = 0;
  was_split = false;
  lanes_outside = 0;
  flat_scratch = 0;
  pending.clear();
  last_access_pc = last_access_address = 0;
  repeats_access = met_another = is_narrow = was_published = read_shared = false;
}

}  // namespace kernloop::softgpu
