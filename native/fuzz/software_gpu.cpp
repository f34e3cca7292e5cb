// What the software GPU is handed: code objects to load, instruction words to decode, and code to execute.
#include <algorithm>
#include <cstring>
#include <random>

#include "fuzz/target.h"
#include "softgpu/engine/tests/random_stream.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/loader/code_object.h"
#include "softgpu/loader/image.h"

namespace kernloop::fuzz {
namespace {

using namespace softgpu;  // but for Target, which is a fuzz target here

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
  for (const ElfSymbol& symbol : object->dynamic_symbols()) {
    if (CodeObject::is_kernel(symbol)) (void)object->kernel_descriptor(symbol);
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

// The first byte chooses the target.
void execute_words(Bytes bytes) {
  constexpr uint64_t kLimit = 200;
  constexpr size_t kMaxWords = 256;
  if (bytes.size() < 5) return;
  static testing::StreamMachine machines[] = {testing::StreamMachine(kTargets[0]), testing::StreamMachine(kTargets[1]),
                                              testing::StreamMachine(kTargets[2])};
  static const bool drawn = [] {
    std::mt19937_64 random(1);
    for (testing::StreamMachine& machine : machines) machine.draw_state(random);
    return true;
  }();
  (void)drawn;
  const size_t which = bytes[0] % std::size(kTargets);
  std::vector<uint32_t> words = words_of(bytes.subspan(1));
  words.resize(std::min(words.size(), kMaxWords));
  const testing::RandomStream stream{kTargets[which], std::move(words)};
  const testing::StreamEnd end = machines[which].run(stream, kLimit, false);
  require(end.instructions <= kLimit, "the limit of instructions holds");
  if (!end.fault) return;
  require(end.fault->kind != Fault::Kind::kInternal, "a fault is named");
  require(!end.fault->detail.empty(), "a fault says what happened");
}

std::vector<Input> code_objects() {
  return test_data_with("codeobject/test/data", ".hsaco");
}

// As the software GPU meets it: random streams, after a byte for the target.
std::vector<Input> streams() {
  std::vector<Input> inputs;
  for (uint8_t which = 0; which < std::size(kTargets); ++which) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      std::mt19937_64 random(seed);
      testing::WordGenerator generator(kTargets[which].isa, seed);
      const auto stream = testing::random_stream(kTargets[which], random, generator);
      Input input{which};
      const auto* from = reinterpret_cast<const uint8_t*>(stream.words.data());
      input.insert(input.end(), from, from + stream.words.size() * 4);
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

std::vector<Input> stream_words() {
  std::vector<Input> inputs = streams();
  for (Input& input : inputs) input.erase(input.begin());
  return inputs;
}

const Registration kLoader({"loader", load_code_object, code_objects});
const Registration kDecoder({"decoder", decode_words, stream_words});
const Registration kInstructions({"instructions", execute_words, streams});

}  // namespace
}  // namespace kernloop::fuzz
