// Content of LDS, private memory and registers that a kernel has not written. The ABI promises nothing there, so a
// kernel that reads it must not be right by luck: the fill follows a pattern, and replays under two patterns disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace kernloop::softgpu {

// A pattern and its counterpart (all its bits inverted) guarantee between the two of them, for every word:
// - It is 0 under neither, and no byte of it is 0 under both: code that expects 0 goes wrong.
// - Fourteen of sixteen words, the first four of each 64 bytes of the fill among them, are huge and positive under one
//   and huge and negative under the other, read as f16, bf16, f32, f64, i32 or i64: a maximum over one such word shows
//   under one, a minimum under the other, drawn for each word. (A word that is hugely negative as f32 is about -1e8 as
//   i32 and about -1e3 as two i16.) All other bits but the four that both have set are opposite, too.
// - One of sixteen is a NaN (of any width) under one of the two, which shows where garbage is multiplied by 0, and huge
//   and negative under the other; half of these NaNs are -1 or 0x7fffffff. One is a small odd number,
//   which shows in a minimum of unsigned numbers, and huge under the other. Code that expects 0 goes wrong with them,
//   too; a maximum or minimum over such a word alone may pass.
// Two replays do not promise to show an unsigned minimum over a few words, nor an expectation that both classes fulfil
// ("some number that is not 0"). A third under kZeros does: every word is 0 there.
//
// The same pattern gives the same fill to the same workgroup and wave of a grid, in any order and on any thread.
class UnwrittenFill {
 public:
  static constexpr size_t kLineWords = 16;  // 64 bytes
  // A prime, so that no array is a whole number of periods long.
  static constexpr size_t kLines = 251;
  static constexpr size_t kWords = kLines * kLineWords;
  static constexpr uint64_t kZeros = 0x9999999999999999;  // replays repeat one byte, which for this is 0x99
  // Patterns with this upper half imitate a machine in use: a kernel finds data of other kernels, which exposes a
  // variant that knows the patterns above. Most words are small numbers, as integers or as f32. Every second line has
  // six of the marks that kernels leave (-1, the largest and smallest integers, infinities, a NaN, the largest and the
  // smallest floats; of 8 bytes, so that they are marks of 16, 32 and 64 bits), and 64 words in a row have them all.
  static constexpr uint64_t kInUse = 0x105E00000000;
  static constexpr uint64_t of_machine_in_use(uint32_t seed) { return kInUse | seed; }

  explicit UnwrittenFill(uint64_t pattern);
  uint64_t pattern() const { return pattern_; }
  // `count` words of the fill from line `line` (modulo its period) on.
  void copy(uint32_t* to, size_t count, uint64_t line) const;

  // First line of the fill for a workgroup's LDS and for a wave's registers: different for each, so that in a grid of
  // many workgroups every word meets every class.
  static uint64_t line_of_workgroup(uint64_t ordinal);
  static uint64_t line_of_wave(uint64_t ordinal, uint32_t wave);

 private:
  uint64_t pattern_;
  alignas(64) uint32_t words_[kWords];
};

// Keeps the fill that was asked for last: one dispatch after the other wants the same.
class FillCache {
 public:
  std::shared_ptr<const UnwrittenFill> get(uint64_t pattern);

 private:
  std::mutex mutex_;
  std::shared_ptr<const UnwrittenFill> last_;
};

}  // namespace kernloop::softgpu
