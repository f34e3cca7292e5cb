#include "softgpu/engine/tests/random_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/execute/interpreter.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/lds_end.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kNopOfStreams = 0xbf800000;
constexpr uint32_t kMostReads = 4;
constexpr uint32_t kNoInstruction = 0xbfff0000;  // SOPP without such an opcode
constexpr size_t kTextBytes = 4096;

uint32_t s_endpgm(Target target) {
  return target.isa == Isa::kGfx1100 ? 0xbfb00000 : 0xbf810000;
}

// v_readlane_b32 of a lane that the wave has.
void read_lane(Target target, unsigned vgpr, std::mt19937_64& random, std::vector<uint32_t>& words) {
  constexpr uint32_t kFirstVector = 256, kFirstConstant = 128;
  words.push_back((is_rdna(target.isa) ? 0xd7600000 : 0xd2890000) | static_cast<uint32_t>(random() % 96));
  words.push_back((kFirstVector + vgpr) | (kFirstConstant + static_cast<uint32_t>(random() % 64)) << 9);
}

bool is_executed_in_streams(Target target, const Instruction& instruction) {
  DecodedInstruction decoded;
  static_cast<Instruction&>(decoded) = instruction;
  return select_for(target, decoded) != nullptr;
}

bool reads_a_clock(const Instruction& i) {
  constexpr unsigned kShaderCycles = 29;  // bits 5:0 of the immediate
  if (i.op == Op::s_getreg_b32) return (i.simm16 & 63) == kShaderCycles;
  return i.op == Op::s_memtime || i.op == Op::s_memrealtime || i.op == Op::s_sendmsg_rtn_b64;
}

bool is_branch(Op op) {
  return std::string_view(op_name(op)).starts_with("s_cbranch") || op == Op::s_branch || op == Op::s_call_b64;
}

// A quarter of a stream's instructions may fault.
bool is_wanted(Target target, const Instruction& instruction, std::mt19937_64& random) {
  if (reads_a_clock(instruction)) return false;
  return is_executed_in_streams(target, instruction) || random() % 16 == 0;
}

uint32_t some_float(std::mt19937_64& random) {
  static constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                          0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x807fffff,
                                          0x3f000000, 0x7f7fffff, 0x4f800000, 0x3c003c00, 0x7c00fc00,
                                          0x7e000001, 0x3ff00000, 0x7ff00000, 0x7ff80000};
  const uint32_t any = static_cast<uint32_t>(random());
  return any % 4 == 0 ? kSpecial[(any >> 8) % std::size(kSpecial)] : any;
}

template <class Bytes>
std::vector<uint8_t> copy_of(const Bytes* from, size_t bytes) {
  const auto* first = reinterpret_cast<const uint8_t*>(from);
  return {first, first + bytes};
}

constexpr size_t kVectorBytes = 512 * sizeof(VectorRegister);  // vgpr and agpr

std::string first_difference(const char* what, const std::vector<uint8_t>& a, const std::vector<uint8_t>& b,
                             size_t row) {
  const auto at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  if (at == a.size()) return {};
  return std::string(what) + " " + std::to_string(at / row) + ", byte " + std::to_string(at % row) + ": " +
         std::to_string(a[at]) + " and " + std::to_string(b[at]) + "; ";
}

bool is_runnable(WaveState state) {
  return state == WaveState::kReady || state == WaveState::kIndexed || state == WaveState::kSleeping;
}

// A loop that waits for another wave sleeps if it is executed as a run, and not in steps.
WaveState awake(WaveState state) {
  return state == WaveState::kSleeping ? WaveState::kReady : state;
}

}  // namespace

RandomStream random_stream(Target target, std::mt19937_64& random, WordGenerator& generator,
                           const std::function<void(const Instruction&, Words&)>& change) {
  RandomStream stream{target, {}};
  std::vector<unsigned> results;
  const size_t count = 4 + random() % 28;
  for (size_t added = 0; added < count;) {
    Words words = generator.shaped();
    DecodeResult decoded = decode(target, words);
    if (change && decoded.status == DecodeStatus::kOk) {
      change(decoded.instruction, words);
      decoded = decode(target, words);
    }
    if (decoded.status != DecodeStatus::kOk || !is_wanted(target, decoded.instruction, random)) continue;
    if (is_branch(decoded.instruction.op) && random() % 8) {
      const auto distance = static_cast<int32_t>(random() % (count + 4)) - 4;
      words[0] = (words[0] & 0xffff0000) | static_cast<uint16_t>(distance);
      decoded = decode(target, words);
    }
    stream.words.insert(stream.words.end(), words.begin(), words.begin() + decoded.instruction.size_bytes / 4);
    ++added;
    const Operand& result = decoded.instruction.dst[0];
    if (decoded.instruction.dst_count > 0 && result.kind == Operand::Kind::kVgpr) results.push_back(result.index);
  }
  for (unsigned k = 0; k < kMostReads && !results.empty(); ++k)
    read_lane(target, results[random() % results.size()], random, stream.words);
  stream.words.push_back(random() % 8 ? s_endpgm(target) : kNoInstruction);
  return stream;
}

void RandomStream::drop(size_t word) {
  const DecodeResult decoded = decode(target, std::span(words).subspan(word));
  const size_t count = decoded.status == DecodeStatus::kOk ? decoded.instruction.size_bytes / 4 : 1;
  std::fill_n(words.begin() + static_cast<ptrdiff_t>(word), std::min(count, words.size() - 1 - word), kNopOfStreams);
}

std::string RandomStream::listing() const {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    const DecodeResult decoded = decode(target, std::span(words).subspan(at));
    const bool valid = decoded.status == DecodeStatus::kOk;
    text += valid ? disassemble(decoded.instruction) + "\n" : std::string("no instruction\n");
    at += valid ? decoded.instruction.size_bytes / 4 : 1;
  }
  return text;
}

std::string StreamEnd::difference(const StreamEnd& other) const {
  std::string text;
  const auto name = [](const StreamEnd& end) { return end.fault ? end.fault->detail : std::string("none"); };
  if (fault.has_value() != other.fault.has_value() || name(*this) != name(other) ||
      (fault && (fault->kind != other.fault->kind || fault->lane != other.fault->lane ||
                 fault->address != other.fault->address))) {
    text += "fault: " + name(*this) + " and " + name(other) + "; ";
  }
  if (pc != other.pc || instructions != other.instructions)
    text += "after " + std::to_string(instructions) + " and " + std::to_string(other.instructions) + " instructions; ";
  if (awake(state) != awake(other.state) || scc != other.scc) text += "state or SCC; ";
  text += first_difference("scalar", scalars, other.scalars, 4);
  text += first_difference("vector", vectors, other.vectors, sizeof(VectorRegister));
  text += first_difference("data", data, other.data, 1);
  return text + first_difference("LDS", lds, other.lds, 1);
}

StreamMachine::StreamMachine(Target target)
    : target_(target),
      text_(space_, kTextBytes, "code", AddressSpace::Access::kRead),
      lds_(kLdsBytes + kBehindLdsBytes) {
  workgroup_.lds = lds_.data();
  workgroup_.lds_bytes = workgroup_.lds_allocated = kLdsBytes;
}

void StreamMachine::draw_state(std::mt19937_64& random) {
  wave_.begin_wave(256, 256, fill_, 0);
  for (unsigned k = 0; k < 104; k += 4) {
    for (unsigned n = 0; n < 4; ++n) first_scalars_[k + n] = some_float(random);
    if (random() % 2) {  // a pointer, or a buffer of bytes
      const uint64_t pointer = data_.address() + random() % (kDataBytes / 2) / 4 * 4;
      std::memcpy(&first_scalars_[k], &pointer, 8);
      first_scalars_[k + 2] = static_cast<uint32_t>(random() % (kDataBytes / 2));
      first_scalars_[k + 3] = is_rdna(target_.isa) ? 3u << 28 : 0;  // OOB_SELECT 3: offsets are checked
    }
  }
  first_scalars_[kM0] = random() % 2 ? static_cast<uint32_t>(random() % 64 * 4) : some_float(random);
  const uint64_t lanes = target_.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
  const uint64_t exec = (random() % 4 ? ~uint64_t{0} : random()) & lanes, vcc = random() & lanes;
  std::memcpy(&first_scalars_[kExec], &exec, 8);
  std::memcpy(&first_scalars_[kVcc], &vcc, 8);
  if (!is_rdna(target_.isa)) std::memcpy(&first_scalars_[kFlatScratch], &kScratchWaveBase, 8);

  first_vectors_.resize(kVectorBytes);
  auto* rows = reinterpret_cast<VectorRegister*>(first_vectors_.data());
  for (unsigned row = 0; row < 512; row += 2) {
    const unsigned kind = random() % 4;
    uint64_t noise = random();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      noise = noise * 6364136223846793005ull + 1442695040888963407ull;
      const auto any = static_cast<uint32_t>(noise >> 32);
      rows[row][lane] = any, rows[row + 1][lane] = static_cast<uint32_t>(noise >> 16);
      if (kind == 0) {
        const uint64_t pointer = data_.address() + any % (kDataBytes - 64) / 8 * 8;
        rows[row][lane] = static_cast<uint32_t>(pointer), rows[row + 1][lane] = static_cast<uint32_t>(pointer >> 32);
      } else if (kind == 1) {
        rows[row][lane] = any % (kLdsBytes / 2) / 8 * 8, rows[row + 1][lane] = any % 64;
      } else if (kind == 2) {
        rows[row][lane] = some_float(random), rows[row + 1][lane] = some_float(random);
      }
    }
  }
  // Matrices of gfx1100: every 16 lanes hold the same.
  if (target_.isa == Isa::kGfx1100 && random() % 4 == 0) {
    for (unsigned row = 0; row < 512; ++row) {
      for (unsigned lane = 16; lane < kLanes; ++lane) rows[row][lane] = rows[row][lane % 16];
    }
  }
  first_data_.resize(kDataBytes), first_lds_.resize(kLdsBytes + kBehindLdsBytes);
  for (uint8_t& byte : first_data_) byte = static_cast<uint8_t>(random());
  for (uint8_t& byte : first_lds_) byte = static_cast<uint8_t>(random());
  const auto modes = random();
  first_mode_ = Mode{};
  if (modes % 4 == 0) {
    first_mode_.round_f32 = modes >> 8 & 3, first_mode_.round_f64_f16 = modes >> 10 & 3;
    first_mode_.denorm_f32 = modes >> 12 & 3, first_mode_.denorm_f64_f16 = modes >> 14 & 3;
    first_mode_.dx10_clamp = modes >> 16 & 1, first_mode_.ieee = modes >> 17 & 1;
  }
}

void StreamMachine::restore() {
  std::memcpy(wave_.vgpr, first_vectors_.data(), kVectorBytes);
  std::memcpy(wave_.sgpr, first_scalars_, sizeof wave_.sgpr);
  std::copy(first_data_.begin(), first_data_.end(), data_.begin());
  lds_ = first_lds_;
  workgroup_.lds = lds_.data();
  wave_.scratch.begin_wave(kPrivateBytes, fill_);
  wave_.flat_scratch = kScratchWaveBase;
  wave_.workgroup = &workgroup_;
  wave_.mode = first_mode_;
  wave_.scc = false;
  wave_.state = WaveState::kReady;
  wave_.trap_status = 0;
  wave_.instructions = 0;
  wave_.pc = text_.address();
}

StreamEnd StreamMachine::run(const RandomStream& stream, uint64_t limit, bool step_by_step, CodePage::Use use,
                             const std::function<void(WaveSlot&)>& before_step) {
  std::memset(text_.as<uint8_t>(), 0xff, kTextBytes);
  std::memcpy(text_.as<uint8_t>(), stream.words.data(), stream.words.size() * 4);
  restore();
  MemoryPort port(space_, nullptr);
  port.past_lds = [](const WaveFault&, const Wave&, const Instruction&) {};
  CodeCache code(use);
  Interpreter interpreter(port, code, target_);
  wave_.memory = &port;
  StreamEnd end;
  try {
    while (wave_.instructions < limit && is_runnable(wave_.state)) {
      // It slept for other waves, of which there are none.
      if (wave_.state == WaveState::kSleeping) wave_.state = WaveState::kReady;
      if (step_by_step && before_step) before_step(wave_);
      interpreter.run(wave_, step_by_step ? wave_.instructions + 1 : limit);
    }
  } catch (const WaveFault& fault) {
    end.fault = fault;
  }
  end.pc = wave_.pc, end.instructions = wave_.instructions, end.state = wave_.state, end.scc = wave_.scc;
  end.scalars = copy_of(wave_.sgpr, sizeof wave_.sgpr);
  end.vectors = copy_of(wave_.vgpr, kVectorBytes);
  end.data = copy_of(data_.begin(), kDataBytes);
  end.lds = lds_;
  return end;
}

StreamEnd StreamMachine::run_past_faults(RandomStream& stream, uint64_t limit, std::mt19937_64& random) {
  const bool keeps_fault = random() % 8 == 0;
  for (;;) {
    StreamEnd end = run(stream, limit, false);
    const size_t at = (end.pc - text_address()) / 4;
    if (!end.fault || keeps_fault || at + 1 >= stream.words.size()) return end;
    stream.drop(at);
  }
}

}  // namespace kernloop::softgpu::testing
