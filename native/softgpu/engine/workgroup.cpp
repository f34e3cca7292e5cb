#include "softgpu/engine/workgroup.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "softgpu/engine/lane_moves.h"

namespace kernloop::softgpu {

namespace {

// Uninitialised registers hold this: neither a plausible pointer nor a plausible count, and the same in every run.
constexpr uint32_t kRegisterGarbage = 0xC0DEC0DE;

// The kernel's own rows; what an earlier kernel left beyond them goes back to zero, as in a fresh slot.
void reset_rows(VectorRegister* rows, unsigned owned, unsigned stale) {
  fill_dwords(rows[0], size_t{owned} * kLanes, kRegisterGarbage);
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

void WaveScratch::begin_wave(uint32_t bytes_per_lane) {
  bytes_per_lane_ = (bytes_per_lane + 3) & ~3u;
  const size_t size = size_t{bytes_per_lane_} * kLanes;
  if (size > block_.size()) {
    block_ = PageBlock(size);
  } else if (dirty_end_ > 0) {
    std::memset(block_.data(), 0, std::min<size_t>(size_t{dirty_end_} * kLanes + 256, block_.size()));
  }
  dirty_end_ = 0;
}

WaveSlot::WaveSlot() : registers_(size_t{kRegisterRows} * sizeof(VectorRegister)) {
  vgpr = reinterpret_cast<VectorRegister*>(registers_.data());
  agpr = vgpr + 256;
}

void WaveSlot::begin_wave(unsigned vgprs, unsigned agprs) {
  reset_rows(vgpr, vgprs, stale_vgprs_);
  reset_rows(agpr, agprs, stale_agprs_);
  stale_vgprs_ = vgprs;
  stale_agprs_ = agprs;
  fill_dwords(sgpr, 128, kRegisterGarbage);
  pc = next_pc = 0;
  scc = false;
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
  last_access_pc = last_access_address = 0;
  repeats_access = met_another = is_narrow = false;
}

}  // namespace kernloop::softgpu
