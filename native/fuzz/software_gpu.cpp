// Inputs of the software GPU: code objects to load and instruction words to decode. (instructions.cpp executes them.)
#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz/target.h"
#include "softgpu/engine/code/kernel_descriptor.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/testing/word_generator.h"
#include "softgpu/loader/code_object.h"
#include "softgpu/loader/image.h"

namespace kernloop::fuzz {
namespace {

using namespace softgpu;  // except Target, which is a fuzz target here

constexpr uint64_t kMaxImage = 1u << 20;  // larger ones are legal, but not tried here
constexpr uint64_t kLoadBase = 0x5000'0000'0000, kVariable = 0x41b7'0010'0000;
constexpr softgpu::Target kTargets[] = {kGfx90a, kGfx1030, kGfx1030Wave64};

// Placed between guard bytes that must stay as they are.
void place_between_guards(const CodeObject& object) {
  constexpr size_t kGuard = 64;
  constexpr std::byte kGuardByte{0xcd};
  std::vector<std::byte> memory(object.memory_bytes() + 2 * kGuard, kGuardByte);
  const auto image = std::span(memory).subspan(kGuard, object.memory_bytes());
  std::fill(image.begin(), image.end(), std::byte{0});
  (void)place(object, image, kLoadBase, [](std::string_view) { return kVariable; });
  const auto is_guard = [](std::byte byte) { return byte == kGuardByte; };
  require(std::all_of(memory.begin(), memory.begin() + kGuard, is_guard) &&
              std::all_of(memory.end() - kGuard, memory.end(), is_guard),
          "nothing is written outside of the image");
}

void load_code_object(Bytes bytes) {
  const auto object = CodeObject::parse(std::as_bytes(bytes));
  if (!object) {
    require(!object.error().message.empty(), "an error says what is wrong");
    return;
  }
  for (Isa isa : {Isa::kGfx90a, Isa::kGfx1030}) (void)check_target(object->target(), isa);
  for (const elf::Symbol& symbol : object->dynamic_symbols()) {
    const auto descriptor = object->kernel_descriptor(symbol);
    if (!descriptor) continue;
    for (Isa isa : {Isa::kGfx90a, Isa::kGfx1030}) {
      KernelDescriptor kernel;
      std::string refusal;
      const auto* raw = reinterpret_cast<const uint8_t*>(descriptor->data());
      const bool accepted = KernelDescriptor::parse(raw, symbol.value, isa, &kernel, &refusal);
      require(accepted == refusal.empty(), "a refusal says why");
    }
  }
  for (const LoadSegment& segment : object->segments()) {
    require(segment.file_bytes <= bytes.size() && segment.file_offset <= bytes.size() - segment.file_bytes,
            "segments lie in the file");
    require(segment.memory_bytes <= object->memory_bytes() &&
                segment.address <= object->memory_bytes() - segment.memory_bytes,
            "segments lie in the image");
  }
  if (object->memory_bytes() <= kMaxImage) place_between_guards(*object);
}

std::vector<uint32_t> words_of(Bytes bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

void decode_words(Bytes bytes) {
  const std::vector<uint32_t> words = words_of(bytes);
  for (const softgpu::Target target : kTargets) {
    for (size_t at = 0; at < words.size();) {
      const auto rest = std::span(words).subspan(at);
      const DecodeResult result = decode(target, rest);
      size_t length = 1;
      if (result.status == DecodeStatus::kOk) {
        length = result.instruction.size_bytes / 4;
        require(length >= 1 && length <= rest.size(), "an instruction lies in the words");
        require(!disassemble(result.instruction).empty(), "an instruction has a text");
        require(decode(target, rest.first(length - 1)).status == DecodeStatus::kTruncated,
                "cut short, it is truncated");
      }
      at += length;
    }
  }
}

std::vector<Input> code_objects() {
  return test_data_with("codeobject/test/data", ".hsaco");
}

// Words that look like instructions of every encoding.
std::vector<Input> instruction_words() {
  std::vector<Input> inputs;
  for (const Isa isa : {Isa::kGfx90a, Isa::kGfx1030}) {
    testing::WordGenerator generator(isa, 1);
    for (int count = 0; count < 40; ++count) {
      std::vector<testing::Words> words(16);
      for (testing::Words& one : words) one = generator.shaped();
      const auto* from = reinterpret_cast<const uint8_t*>(words.data());
      inputs.emplace_back(from, from + words.size() * sizeof(testing::Words));
    }
  }
  return inputs;
}

const Registration kLoader({"loader", load_code_object, code_objects});
const Registration kDecoder({"decoder", decode_words, instruction_words});

}  // namespace
}  // namespace kernloop::fuzz
