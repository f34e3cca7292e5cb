#include "softgpu/engine/observe/bank_conflicts.h"

#include <algorithm>

namespace kernloop::softgpu {

namespace {

constexpr unsigned kBanks = 32;
constexpr unsigned kMaxGroupDwords = 64;  // 8 unaligned lanes of 16 bytes have 40, 32 lanes of 4 bytes 64

// Dwords that one group of lanes accesses, by bank.
class Group {
 public:
  void add(uint32_t dword) {
    const unsigned bank = dword % kBanks;
    const uint32_t bit = 1u << bank;
    if ((used_ & bit) == 0) {
      used_ |= bit;
      first_[bank] = kNone;
    }
    for (uint8_t at = first_[bank]; at != kNone; at = next_[at]) {
      if (dwords_[at] != dword) continue;
      ++lanes_[at];
      return;
    }
    dwords_[count_] = dword;
    lanes_[count_] = 1;
    next_[count_] = first_[bank];
    first_[bank] = count_++;
  }

  void count(bool lanes_take_turns, LdsPasses& total) const {
    if (count_ == 0) return;
    unsigned different = 0, turns = 0;
    for (uint32_t rest = used_; rest != 0; rest &= rest - 1) {
      unsigned in_bank = 0, lanes = 0;
      for (uint8_t at = first_[__builtin_ctz(rest)]; at != kNone; at = next_[at]) {
        ++in_bank;
        lanes += lanes_[at];
      }
      different = std::max(different, in_bank);
      turns = std::max(turns, lanes);
    }
    total.bank_conflicts += different - 1;
    if (lanes_take_turns) total.address_conflicts += turns - different;
    total.passes += lanes_take_turns ? turns : different;
  }

 private:
  static constexpr uint8_t kNone = 0xff;
  uint32_t used_ = 0;      // banks
  uint8_t first_[kBanks];  // first dword of a used bank: a list through next_
  uint8_t count_ = 0;
  uint32_t dwords_[kMaxGroupDwords];
  uint8_t lanes_[kMaxGroupDwords];
  uint8_t next_[kMaxGroupDwords];
};

// Lanes on whole dwords, no two of which share a bank without sharing the dword: one pass. False: look closer.
bool is_without_conflicts(const uint32_t* offsets, uint32_t immediate, uint64_t lanes) {
  uint32_t used = 0, dwords[kBanks];
  for (; lanes != 0; lanes &= lanes - 1) {
    const uint32_t at = offsets[__builtin_ctzll(lanes)] + immediate, bank = at / 4 % kBanks, bit = 1u << bank;
    if (at % 4 != 0 || ((used & bit) != 0 && dwords[bank] != at)) return false;
    used |= bit;
    dwords[bank] = at;
  }
  return true;
}

constexpr uint64_t kHalf = 0xffffffff, kQuarter = 0xffff, kEighth = 0xff;
constexpr uint64_t kWideLoads[4] = {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000};

unsigned group_count(uint32_t bytes) {
  return bytes <= 4 ? 2 : bytes <= 8 ? 4 : 8;
}

uint64_t group_lanes(unsigned group, uint32_t bytes, LdsUse use) {
  if (bytes <= 4) return kHalf << (32 * group);
  if (bytes <= 8) return kQuarter << (16 * group);
  if (use == LdsUse::kLoad) return kWideLoads[group % 4] << (32 * (group / 4));
  return kEighth << (8 * group);
}

}  // namespace

LdsPasses count_lds_passes(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, LdsUse use) {
  LdsPasses total;
  for (unsigned k = 0; k < group_count(bytes); ++k) {
    const uint64_t members = lanes & group_lanes(k, bytes, use);
    if (bytes == 4 && use != LdsUse::kAtomic && is_without_conflicts(offsets, immediate, members)) {
      total.passes += members != 0;
      continue;
    }
    Group group;
    for (uint64_t rest = members; rest != 0; rest &= rest - 1) {
      const uint32_t at = offsets[__builtin_ctzll(rest)] + immediate;
      for (uint32_t dword = at / 4; dword <= (at + bytes - 1) / 4; ++dword) group.add(dword);
    }
    group.count(use == LdsUse::kAtomic, total);
  }
  return total;
}

}  // namespace kernloop::softgpu
