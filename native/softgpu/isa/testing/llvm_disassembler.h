// LLVM's disassembler as a library, for millions of words: it answers accept or reject and the length, many times as
// fast as llvm-mc does. LLVM 15 dies on some reserved encodings (of SDWA and MFMA), so it runs in a child process, and
// a death is a rejection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

class LlvmDisassembler {
 public:
  // Throws std::runtime_error if LLVM's library is not installed or does not know the target.
  explicit LlvmDisassembler(const Subject& subject);
  ~LlvmDisassembler();
  LlvmDisassembler(const LlvmDisassembler&) = delete;
  LlvmDisassembler& operator=(const LlvmDisassembler&) = delete;

  // The length of each item's first instruction in bytes, 0 if LLVM rejects it.
  std::vector<uint8_t> lengths(std::span<const Words> items);
  // Items that crash LLVM.
  std::vector<bool> fatal(std::span<const Words> items);
  size_t deaths() const { return deaths_; }

 private:
  using Disassemble = size_t (*)(void* context, uint8_t* bytes, uint64_t size, uint64_t pc, char* text, size_t space);

  static constexpr uint8_t kDied = 0xff;

  uint8_t length_of(const Words& words) const;
  // Like lengths(), with kDied for crashes of LLVM.
  std::vector<uint8_t> answers_to(std::span<const Words> items);

  Disassemble disassemble_ = nullptr;
  void (*dispose_)(void* context) = nullptr;
  void* context_ = nullptr;
  size_t deaths_ = 0;
};

}  // namespace kernloop::softgpu::testing
