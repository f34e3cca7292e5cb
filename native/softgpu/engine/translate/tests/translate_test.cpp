// Translated segments against the interpreter, bit for bit: random operations on random registers, masks and EXEC, for
// each target. Many segments are one module, because a compiler costs more than what it compiles.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <set>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/tests/program.h"
#include "softgpu/engine/translate/compiler.h"
#include "softgpu/engine/translate/loaded_code.h"
#include "softgpu/engine/translate/region.h"
#include "softgpu/engine/translate/translated_run.h"
#include "softgpu/engine/vector/select.h"
#include "softgpu/engine/wave/lds_end.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/testing/word_generator.h"

namespace kernloop::softgpu::testing {
namespace {

// KERNLOOP_STREAMS and KERNLOOP_STREAMS_SEED widen a run by hand.
uint64_t setting(const char* name, uint64_t fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : fallback;
}

std::string listing(const CodeRun& run, unsigned first, unsigned end) {
  std::string text;
  for (unsigned k = first; k < end; ++k) text += disassemble(*run.steps[k].instruction) + "\n";
  return text;
}

uint32_t special_float(std::mt19937_64& random) {
  static constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                          0x7fc00000, 0x7f800001, 0x00000001, 0x807fffff, 0x3f000000, 0x7f7fffff,
                                          0x4f800000, 0x3c003c00, 0x7c00fc00, 0x7e000001, 0x3ff00000, 0x7ff00000};
  return kSpecial[random() % std::size(kSpecial)];
}
// A float, two halves or the top of a double with which no arithmetic of a few steps overflows.
uint32_t tame_float(std::mt19937_64& random) {
  const auto noise = static_cast<uint32_t>(random());
  switch (noise % 4) {
    case 0:
      return (noise & 0x807fffff) | (0x7c + (noise >> 24 & 3)) << 23;
    case 1:
      return (noise & 0x83ff83ff) | 0x38003800;
    case 2:
      return (noise & 0x800fffff) | 0x3fe00000;
    default:
      return noise & 0x3fffffff;
  }
}

class Machine {
 public:
  explicit Machine(Target target) : target_(target), lds_(lds_allocated() + kBehindLdsBytes) {
    wave_.begin_wave(256, 256, fill_, 0);
    workgroup_.lds = lds_.data();
    workgroup_.lds_bytes = kLdsBytes;
    workgroup_.lds_allocated = lds_allocated();
    wave_.workgroup = &workgroup_;
    wave_.memory = &port_;
  }

  void draw(std::mt19937_64& random, bool has_addresses) {
    const unsigned kind = has_addresses && random() % 4 ? 4 : random() % 4;
    // Registers of addresses in LDS, most of them inside: the same in all lanes, neighbours, or any.
    const auto address = [&](unsigned lane, uint32_t base) -> uint32_t {
      static constexpr unsigned kStrides[] = {0, 4, 8, 16, 2};
      const unsigned form = base % 7;
      const uint32_t first = base / 7 % 1024;
      return form < 5 ? first + kStrides[form] * (lane % 16) : form == 5 ? (first * (lane + 3)) % 1800 : first;
    };
    const auto dword = [&]() -> uint32_t {
      const bool any = kind == 0 || (kind == 1 && random() % 8 == 0);
      return !any ? tame_float(random) : random() % 4 == 0 ? special_float(random) : static_cast<uint32_t>(random());
    };
    for (uint32_t& value : scalars_) value = dword();
    vectors_.resize(512 * kLanes);
    for (uint32_t& value : vectors_) value = dword();
    for (size_t k = 0, base = 0; kind == 4 && k < vectors_.size(); ++k) {
      if (k % kLanes == 0) base = random();
      vectors_[k] = random() % 4096 == 0 ? kLdsBytes + 3 : address(k % kLanes, static_cast<uint32_t>(base));
    }
    for (uint8_t& byte : lds_) byte = static_cast<uint8_t>(random());
    const uint64_t lanes = target_.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
    uint64_t exec = lanes;
    if (random() % 2) exec &= random();
    if (random() % 4 == 0) exec &= uint64_t{0xffff} << (random() % 4 * 16);
    if (random() % 16 == 0) exec = 0;
    std::memcpy(&scalars_[kExec], &exec, 8);
    scc_ = random() & 1;
    mode_ = Mode{};
    mode_.ieee = random() % 4 != 0;
    if (random() % 16 == 0) mode_.denorm_f32 = 0;
    if (random() % 16 == 0) mode_.round_f64_f16 = 3;
  }

  WaveSlot& begin() {
    std::memcpy(wave_.vgpr, vectors_.data(), vectors_.size() * 4);
    std::memcpy(wave_.sgpr, scalars_, sizeof scalars_);
    wave_.scc = scc_;
    wave_.mode = mode_;
    port_.counters = {};
    return wave_;
  }
  uint64_t lds_instructions() const { return port_.counters.lds; }
  const Mode& mode() const { return mode_; }
  uint64_t exec() const {
    uint64_t exec;
    std::memcpy(&exec, &scalars_[kExec], sizeof exec);
    return exec;
  }

  std::vector<uint32_t> end() const {
    std::vector<uint32_t> state(128 + 512 * kLanes + 1);
    std::memcpy(state.data(), wave_.sgpr, sizeof wave_.sgpr);
    std::memcpy(&state[128], wave_.vgpr, 512 * sizeof(VectorRegister));
    state.back() = wave_.scc;
    return state;
  }

 private:
  const Target target_;
  static constexpr uint32_t kLdsBytes = 2000;
  static constexpr uint32_t lds_allocated() { return allocated_lds(kLdsBytes); }

  const UnwrittenFill fill_{0};
  WaveSlot wave_;
  AddressSpace space_;
  MemoryPort port_{space_, nullptr};
  std::vector<uint8_t> lds_;
  Workgroup workgroup_;
  uint32_t scalars_[128] = {};
  std::vector<uint32_t> vectors_;
  bool scc_ = false;
  Mode mode_;
};

// All that a fault says; empty without one.
std::string fault_of(const std::function<void()>& execute) {
  try {
    execute();
  } catch (const WaveFault& fault) {
    return "kind " + std::to_string(static_cast<unsigned>(fault.kind)) + ", lane " + std::to_string(fault.lane) + ", " +
           std::to_string(fault.bytes) + " bytes at " + std::to_string(fault.address) + ": " + fault.detail;
  }
  return {};
}

std::string difference(const std::vector<uint32_t>& interpreted, const std::vector<uint32_t>& translated) {
  for (size_t k = 0; k < interpreted.size(); ++k) {
    if (interpreted[k] == translated[k]) continue;
    const std::string where = k < 128 ? "s" + std::to_string(k)
                              : k + 1 == interpreted.size()
                                  ? "scc"
                                  : "v" + std::to_string((k - 128) / 64) + " lane " + std::to_string(k % 64);
    char values[64];
    std::snprintf(values, sizeof values, ": %08x and translated %08x", interpreted[k], translated[k]);
    return where + values;
  }
  return {};
}

// Code of random instructions that the translator takes, each run in a page of its own.
class Code {
 public:
  explicit Code(Target target) : target_(target), page_(space_, 4096, "code", AddressSpace::Access::kRead) {}

  // `words` followed by one that ends the run.
  const CodeRun& run_of(const std::vector<uint32_t>& words) {
    std::memset(page_.as<uint8_t>(), 0xff, 4096);
    std::memcpy(page_.as<uint8_t>(), words.data(), words.size() * 4);
    const uint64_t base = page_.address() & ~(CodePage::kBytes - 1);
    pages_.push_back(std::make_unique<CodePage>(target_, base, page_.address(), page_.address() + 4096,
                                                CodePage::Use::kExecute, nullptr));
    return run_at(page_.address());
  }
  // The run that begins at the address, in the words that were given last.
  const CodeRun& run_at(uint64_t address) {
    return pages_.back()->run_at(static_cast<unsigned>(address % CodePage::kBytes / 4));
  }
  const DecodedInstruction& instruction_at(uint64_t address) { return *pages_.back()->instruction_at(address); }
  bool is_translated(const std::vector<uint32_t>& words) {
    const bool is_translated = !find_segments(run_of(words).steps, target_.wave_size).empty();
    pages_.pop_back();
    return is_translated;
  }

 private:
  const Target target_;
  AddressSpace space_;
  Buffer page_;
  std::vector<std::unique_ptr<CodePage>> pages_;
};

struct Candidate {
  std::vector<uint32_t> words;
  Op op;
};

// A vector instruction of which the translator makes something, or scalar arithmetic.
Candidate random_candidate(Target target, Code& code, std::mt19937_64& random, WordGenerator& generator,
                           bool reads_lds) {
  const bool is_read = reads_lds && random() % 2;
  for (;;) {
    const Words drawn = generator.shaped();
    const DecodeResult decoded = decode(target, drawn);
    if (decoded.status != DecodeStatus::kOk) continue;
    const Encoding encoding = decoded.instruction.encoding;
    if (is_read && encoding != Encoding::kDs) continue;
    const bool is_scalar = encoding == Encoding::kSop1 || encoding == Encoding::kSop2 || encoding == Encoding::kSopC ||
                           encoding == Encoding::kSopK;
    if (is_scalar && random() % 4) continue;
    std::vector<uint32_t> words(drawn.begin(), drawn.begin() + decoded.instruction.size_bytes / 4);
    // Many read a mask of comparisons and carries, or EXEC: they have the first source in the lowest byte.
    if (is_scalar && encoding != Encoding::kSopK && words.size() == 1 && random() % 2)
      words[0] = (words[0] & ~0xffu) | (random() % 4 ? kVcc : kExec);
    // Most offsets are inside of LDS: the low 16 bits.
    if (encoding == Encoding::kDs && random() % 16 != 0) words[0] &= 0xffff0000 | 0x0303;
    std::vector<uint32_t> repeated;
    for (unsigned k = 0; k < 4; ++k) repeated.insert(repeated.end(), words.begin(), words.end());
    const bool is_taken = is_scalar || code.is_translated(repeated);
    if (is_taken) return {std::move(words), decoded.instruction.op};
  }
}

// One that changes EXEC, of scalar arithmetic: most name it as their result, and many as a source.
std::vector<uint32_t> exec_writer(Target target, Code& code, std::mt19937_64& random, WordGenerator& generator) {
  for (;;) {
    const Words drawn = generator.shaped();
    const DecodeResult decoded = decode(target, drawn);
    const Encoding encoding = decoded.instruction.encoding;
    if (decoded.status != DecodeStatus::kOk || (encoding != Encoding::kSop1 && encoding != Encoding::kSop2)) continue;
    std::vector<uint32_t> words(drawn.begin(), drawn.begin() + decoded.instruction.size_bytes / 4);
    // The result is in bits 16 to 22, the first source in the lowest byte. 193 is -1.
    const bool names_exec = facts_of(decoded.instruction.op).effect != OpEffect::kWritesExec;
    if (names_exec) words[0] = (words[0] & 0xff80ffff) | kExec << 16;
    const unsigned sources[] = {kVcc, kExec, 193};
    if (words.size() == 1 && random() % 4) words[0] = (words[0] & 0xffffff00) | sources[random() % 3];
    const DecodedInstruction& writer = *code.run_of(words).steps[0].instruction;
    if (writer.untracked && is_scalar_step(writer, true)) return words;
  }
}

// A vector instruction as above, or scalar arithmetic that goes on to the next instruction.
std::vector<uint32_t> arithmetic(Target target, Code& code, std::mt19937_64& random, WordGenerator& generator) {
  for (;;) {
    const std::vector<uint32_t> words = random_candidate(target, code, random, generator, false).words;
    const DecodedInstruction& first = *code.run_of(words).steps[0].instruction;
    if (is_vector_alu(first.counted_as) || is_scalar_step(first, true)) return words;
  }
}

// Saves EXEC and adds all lanes, as functions do that save registers of inactive lanes, and puts EXEC back.
struct AllLanes {
  uint32_t begin, end;
};
AllLanes all_lanes(Target target) {
  constexpr uint32_t kSop1 = 0xbe800000, kSaved = 20, kMinusOne = 193;
  const bool is_narrow = target.wave_size == 32;
  const uint32_t add = target.isa == Isa::kGfx1100   ? (is_narrow ? 0x22 : 0x23)
                       : target.isa == Isa::kGfx1030 ? (is_narrow ? 0x3d : 0x25)
                                                     : 0x21;
  const uint32_t move = target.isa == Isa::kGfx1100   ? !is_narrow
                        : target.isa == Isa::kGfx1030 ? (is_narrow ? 3 : 4)
                                                      : 1;
  return {kSop1 | kSaved << 16 | add << 8 | kMinusOne, kSop1 | kExec << 16 | move << 8 | kSaved};
}

class Translation : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override { ASSERT_EQ(LaneCompiler::find_llvm(), ""); }
};

TEST_P(Translation, LeavesTheStateThatTheInterpreterLeaves) {
  const Target target = GetParam();
  const uint64_t seed = setting("KERNLOOP_STREAMS_SEED", 1), batches = setting("KERNLOOP_STREAM_BATCHES", 1);
  std::mt19937_64 random(seed);
  WordGenerator generator(target.isa, seed);
  Machine machine(target);
  std::set<Op> met;
  uint64_t executed = 0, whole = 0, faults = 0, reads = 0;
  for (uint64_t batch = 0; batch < 2 * batches; ++batch) {
    const bool reads_lds = batch % 2 != 0;
    Code code(target);
    struct Case {
      const CodeRun* run;
      Segment segment;
    };
    std::vector<Case> cases;
    ModuleText module;
    while (cases.size() < (reads_lds ? 50 : 100)) {
      std::vector<uint32_t> words;
      const unsigned count = 4 + random() % 12;
      for (unsigned k = 0; k < count; ++k) {
        const Candidate candidate = random_candidate(target, code, random, generator, reads_lds);
        words.insert(words.end(), candidate.words.begin(), candidate.words.end());
      }
      const CodeRun& run = code.run_of(words);
      for (const Segment& segment : find_segments(run.steps, target.wave_size)) {
        module.add(segment, target.wave_size, "segment_" + std::to_string(cases.size()), 1 + cases.size() % 2);
        cases.push_back({&run, segment});
        for (const SegmentStep& step : segment.steps) met.insert(step.instruction->op);
      }
    }
    std::string problem;
    const std::string object = LaneCompiler().compile(module.text(), problem);
    const std::shared_ptr<const LoadedCode> compiled = LoadedCode::load(object, problem);
    ASSERT_NE(compiled, nullptr) << problem;
    for (size_t k = 0; k < cases.size(); ++k) {
      const auto& [run, segment] = cases[k];
      const auto function = reinterpret_cast<SegmentFn>(compiled->symbol("segment_" + std::to_string(k)));
      ASSERT_NE(function, nullptr);
      for (unsigned draws = 0; draws < 20; ++draws) {
        machine.draw(random, reads_lds);
        WaveSlot& wave = machine.begin();
        unsigned step = segment.first;
        const std::string expected_fault = fault_of([&] {
          for (; step < segment.end; ++step) run->steps[step].execute(wave, *run->steps[step].instruction);
        });
        const std::vector<uint32_t> expected = machine.end();
        const uint64_t expected_reads = machine.lds_instructions();
        machine.begin();
        if (!segment.follows_mode || wave.mode.is_default()) {
          uint64_t partial[Segment::kMaxMasks];
          whole += function(&wave, partial) == target.wave_size;
          machine.begin();
        }
        const CodeRun::Step* at = run->steps.data();
        const std::string fault =
            fault_of([&] { TranslatedSegment(segment, function).execute(wave, run->steps.data(), at); });
        ASSERT_EQ(fault, expected_fault) << listing(*run, segment.first, segment.end);
        ASSERT_EQ(machine.lds_instructions(), expected_reads) << listing(*run, segment.first, segment.end);
        if (!fault.empty()) {
          ++faults;
          ASSERT_EQ(at, run->steps.data() + step) << fault << "\n" << listing(*run, segment.first, segment.end);
          ASSERT_EQ(wave.exec(), machine.exec());
          continue;
        }
        reads += expected_reads;
        const std::string differs = difference(expected, machine.end());
        ASSERT_EQ(differs, "") << "batch " << batch << ", segment " << k << ", draw " << draws << "\n"
                               << listing(*run, segment.first, segment.end);
        ++executed;
      }
    }
  }
  RecordProperty("operations", std::to_string(met.size()));
  RecordProperty("executions", std::to_string(executed));
  RecordProperty("without_the_interpreter", std::to_string(whole));
  EXPECT_GT(whole, executed / 3);
  EXPECT_GT(reads, 300u);
  EXPECT_GT(faults, 10u);
  EXPECT_GT(met.size(), 100u);
}

// The end of a run: where a region goes on, and where the interpreter does.
TEST_P(Translation, BranchesByTheVccOfTheLanesThatTheWaveHas) {
  const Target target = GetParam();
  const bool is_gfx1100 = target.isa == Isa::kGfx1100, is_rdna = is_gfx1100 || target.isa == Isa::kGfx1030;
  const uint32_t negate = is_rdna ? 0x7e006f01 : 0x7e005701;  // v_not_b32 v0, v1
  const uint32_t if_zero = is_gfx1100 ? 0xbfa30003 : 0xbf860003, if_not = if_zero + (1u << 16);
  Machine machine(target);
  std::mt19937_64 random(1);
  machine.draw(random, false);
  for (const uint32_t branch : {if_zero, if_not}) {
    Code code(target);
    const CodeRun& run = code.run_of({negate, negate, branch});
    const DecodedInstruction& last = *run.steps.back().instruction;
    const RegionText text = write_region({&run}, target.wave_size, "region", [](uint64_t) { return nullptr; });
    std::string problem;
    const std::string object = LaneCompiler().compile(text.module.text(), problem);
    const std::shared_ptr<const LoadedCode> compiled = LoadedCode::load(object, problem);
    ASSERT_NE(compiled, nullptr) << problem;
    const auto function = reinterpret_cast<RegionFn>(compiled->symbol("region"));
    for (const uint64_t vcc : {0x0ull, 0x1ull, 0x80000000ull, 0x1'00000000ull, 0x80000000'00000000ull, ~0ull}) {
      const bool any = target.wave_size == 64 ? vcc != 0 : static_cast<uint32_t>(vcc) != 0;
      const uint64_t next = last.address + 4, expected = any == (branch == if_not) ? next + 12 : next;
      WaveSlot& wave = machine.begin();
      wave.set_vcc(vcc);
      wave.pc = last.address;
      wave.next_pc = next;
      last.execute(wave, last);
      EXPECT_EQ(wave.next_pc, expected) << disassemble(last) << ", vcc " << vcc << ", interpreted";
      uint64_t by_class[static_cast<size_t>(InstructionClass::kCount)] = {}, lanes = 0;
      RegionState state;
      state.end = ~uint64_t{0};
      state.by_class = by_class;
      state.active_lanes = state.valu_lanes = state.lds = state.divergent_branches = &lanes;
      ASSERT_EQ(function(&wave, &state, 0), 0u);
      EXPECT_EQ(wave.pc, expected) << disassemble(last) << ", vcc " << vcc << ", translated";
    }
  }
}

// All that a region leaves besides the wave's registers.
struct RegionEnd {
  uint64_t pc = 0, instructions = 0, divergent_branches = 0, lanes_outside = 0, active_lanes = 0, valu_lanes = 0;
  uint64_t by_class[static_cast<size_t>(InstructionClass::kCount)] = {};
  bool operator==(const RegionEnd&) const = default;
};

// Instructions one by one until the wave ends.
RegionEnd interpret_to_end(WaveSlot& wave, Code& code) {
  RegionEnd end;
  while (wave.state == WaveState::kReady) {
    const DecodedInstruction& i = code.instruction_at(wave.pc);
    const auto lanes = static_cast<uint64_t>(std::popcount(wave.exec()));
    ++end.by_class[static_cast<size_t>(i.counted_as)];
    if (i.is_vector) end.active_lanes += lanes;
    if (is_vector_alu(i.counted_as)) end.valu_lanes += lanes;
    wave.next_pc = wave.pc + i.size_bytes;
    ++wave.instructions;
    i.execute(wave, i);
    wave.pc = wave.next_pc;
  }
  return end;
}

// Lane arithmetic under an EXEC that scalar arithmetic changes, and branches around it where no lane is left.
TEST_P(Translation, ChangesExecAndCountsDivergenceAsTheInterpreterDoes) {
  const Target target = GetParam();
  const uint64_t seed = setting("KERNLOOP_STREAMS_SEED", 1), batches = setting("KERNLOOP_STREAM_BATCHES", 1);
  const bool is_gfx1100 = target.isa == Isa::kGfx1100;
  const uint32_t if_no_lane = is_gfx1100 ? 0xbfa50000 : 0xbf880000, ends = is_gfx1100 ? 0xbfb00000 : 0xbf810000;
  std::mt19937_64 random(seed);
  WordGenerator generator(target.isa, seed);
  Machine machine(target);
  uint64_t divergent = 0;
  for (uint64_t number = 0; number < 12 * batches;) {
    struct Case {
      std::unique_ptr<Code> code;
      uint64_t first;
      RegionText text;
    };
    std::vector<Case> cases;
    ModuleText module;
    for (; cases.size() < 12; ++number) {
      auto code = std::make_unique<Code>(target);
      std::vector<uint32_t> words;
      const auto append = [&](const std::vector<uint32_t>& more) {
        words.insert(words.end(), more.begin(), more.end());
      };
      for (unsigned part = 0; part < 4; ++part) {
        for (unsigned k = random() % 4; k > 0; --k) append(arithmetic(target, *code, random, generator));
        if (random() % 4 == 0) {
          words.push_back(all_lanes(target).begin);
          append(arithmetic(target, *code, random, generator));
          words.push_back(all_lanes(target).end);
        } else {
          append(exec_writer(target, *code, random, generator));
        }
        const std::vector<uint32_t> jumped = arithmetic(target, *code, random, generator);
        if (random() % 2) words.push_back(if_no_lane | static_cast<uint32_t>(jumped.size()));
        append(jumped);
      }
      words.push_back(ends);
      const CodeRun& first = code->run_of(words);
      const uint64_t address = first.steps.front().instruction->address, last = address + 4 * words.size();
      const auto find = [&](uint64_t at) { return at < last ? &code->run_at(at) : nullptr; };
      RegionText text = write_region(runs_of_region(first, find), target.wave_size,
                                     "region_" + std::to_string(cases.size()), [](uint64_t) { return nullptr; });
      if (text.segments.empty()) continue;
      module.add(text.module);
      cases.push_back({std::move(code), address, std::move(text)});
    }
    std::string problem;
    const std::string object = LaneCompiler().compile(module.text(), problem);
    const std::shared_ptr<const LoadedCode> compiled = LoadedCode::load(object, problem);
    ASSERT_NE(compiled, nullptr) << problem;
    for (const auto& [code, first, text] : cases) {
      const auto function = reinterpret_cast<RegionFn>(compiled->symbol(text.name));
      for (size_t k = 0; k < text.segments.size(); ++k)
        text.region->segments[k].set(reinterpret_cast<SegmentFn>(compiled->symbol(text.segments[k])));
      for (unsigned draws = 0; draws < 20; ++draws) {
        machine.draw(random, false);
        const uint64_t outside = random() % 4 == 0 ? machine.exec() : 0;
        const auto begin = [&]() -> WaveSlot& {
          WaveSlot& wave = machine.begin();
          wave.state = WaveState::kReady;
          wave.pc = first, wave.next_pc = 0, wave.instructions = 0, wave.lanes_outside = outside;
          return wave;
        };
        const auto complete = [&](RegionEnd& end, const WaveSlot& wave) {
          end.pc = wave.pc, end.instructions = wave.instructions, end.lanes_outside = wave.lanes_outside;
          end.divergent_branches = wave.memory->counters.divergent_branches;
        };
        WaveSlot& wave = begin();
        RegionEnd expected = interpret_to_end(wave, *code);
        complete(expected, wave);
        const std::vector<uint32_t> registers = machine.end();
        begin();
        RegionEnd end;
        RegionState state;
        state.end = ~uint64_t{0};
        state.by_class = end.by_class;
        state.active_lanes = &end.active_lanes, state.valu_lanes = &end.valu_lanes;
        state.lds = &wave.memory->counters.lds, state.divergent_branches = &wave.memory->counters.divergent_branches;
        ASSERT_EQ(function(&wave, &state, 0), 0u);
        complete(end, wave);
        const auto words = [&] {
          std::string all;
          for (const CodeRun* each : text.region->runs)
            all += listing(*each, 0, static_cast<unsigned>(each->steps.size()));
          return all;
        };
        ASSERT_EQ(difference(registers, machine.end()), "") << words();
        ASSERT_TRUE(end == expected) << words();
        divergent += expected.divergent_branches;
      }
    }
  }
  EXPECT_GT(divergent, 100u);
}

constexpr char kFunction[] =
    "target triple = \"x86_64-pc-linux-gnu\"\n@table = private constant [2 x i32] [i32 5, i32 7]\n"
    "define i32 @seven(i64 %k) {\n  %at = getelementptr i32, ptr @table, i64 %k\n  %v = load i32, ptr %at\n  ret i32 "
    "%v\n}\n";

TEST(LoadedCodeOf, AnObjectReachesItsConstantsAndNotWhatIsOutside) {
  std::string problem;
  const std::string object = LaneCompiler().compile(kFunction, problem);
  const auto code = LoadedCode::load(object, problem);
  ASSERT_NE(code, nullptr) << problem;
  const auto function = reinterpret_cast<int (*)(uint64_t)>(reinterpret_cast<uintptr_t>(code->symbol("seven")));
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function(1), 7);
  EXPECT_EQ(code->symbol("eight"), nullptr);
  const std::string outside = LaneCompiler().compile(
      "target triple = \"x86_64-pc-linux-gnu\"\ndeclare i32 @getpid()\n"
      "define i32 @f() {\n  %p = call i32 @getpid()\n  ret i32 %p\n}\n",
      problem);
  ASSERT_FALSE(outside.empty());
  EXPECT_EQ(LoadedCode::load(outside, problem), nullptr);
  EXPECT_NE(problem.find("from outside"), std::string::npos) << problem;
}

TEST(LoadedCodeOf, AnObjectThatIsCutOrChangedIsRefusedOrHarmless) {
  std::string problem;
  const std::string object = LaneCompiler().compile(kFunction, problem);
  ASSERT_FALSE(object.empty()) << problem;
  for (size_t bytes = 0; bytes < object.size(); ++bytes) {
    EXPECT_EQ(LoadedCode::load(std::span(object).first(bytes), problem), nullptr) << bytes;
  }
  for (size_t at = 0; at < object.size(); ++at) {
    std::string changed = object;
    for (unsigned bit : {0, 4, 7}) {
      changed[at] = static_cast<char>(object[at] ^ 1 << bit);
      LoadedCode::load(changed, problem);
    }
  }
}

TEST(LaneCompilerOf, AModuleThatIsNoneSaysWhatClangSays) {
  std::string problem;
  EXPECT_EQ(LaneCompiler().compile("define nonsense", problem), "");
  EXPECT_NE(problem.find("error"), std::string::npos) << problem;
}

INSTANTIATE_TEST_SUITE_P(Targets, Translation,
                         ::testing::Values(kGfx90a, kGfx942, kGfx1030, kGfx1030Wave64, kGfx1100, kGfx1100Wave64),
                         [](const ::testing::TestParamInfo<Target>& info) {
                           return isa_name(info.param.isa) + std::string("wave") + std::to_string(info.param.wave_size);
                         });

}  // namespace
}  // namespace kernloop::softgpu::testing
