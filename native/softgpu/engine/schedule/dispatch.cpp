#include "softgpu/engine/schedule/dispatch.h"

#include <algorithm>
#include <iterator>

#include "softgpu/engine/execute/interpreter.h"
#include "softgpu/engine/lanes/lane_moves.h"
#include "softgpu/engine/schedule/residency.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kDefaultInstructionLimit = uint64_t{64} << 30;
constexpr uint32_t kMaxWorkgroupItems = 1024, kMaxLdsBytes = 65536;
constexpr uint32_t kMaxPrivateBytes = 1u << 20;
// In wave-instructions. Workgroups that wait for earlier ones (look-back scans) are longer.
constexpr uint64_t kShortWorkgroup = 512;
constexpr uint64_t kShareOfShort = 4;

std::string triple(const uint32_t v[3]) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

// Returns an error message for the geometry, or an empty string.
std::string check_geometry(const DispatchRequest& request) {
  const uint64_t items = uint64_t{request.workgroup_size[0]} * request.workgroup_size[1] * request.workgroup_size[2];
  if (request.dimensions < 1 || request.dimensions > 3) return std::to_string(request.dimensions) + " dimensions";
  for (unsigned k = 0; k < 3; ++k) {
    if (k >= request.dimensions && (request.grid_size[k] > 1 || request.workgroup_size[k] > 1)) {
      return "grid " + triple(request.grid_size) + " of workgroups " + triple(request.workgroup_size) +
             " has more than the " + std::to_string(request.dimensions) + " dimensions that the packet states";
    }
    if (request.workgroup_size[k] == 0 || request.workgroup_size[k] > kMaxWorkgroupItems) {
      return "workgroup size " + triple(request.workgroup_size) + " has a dimension outside of 1..1024";
    }
    if (request.grid_size[k] == 0) return "grid size " + triple(request.grid_size) + " has a zero dimension";
  }
  if (items > kMaxWorkgroupItems)
    return "workgroup size " + triple(request.workgroup_size) + " is more than 1024 work-items";
  const unsigned __int128 groups =
      static_cast<unsigned __int128>((request.grid_size[0] + uint64_t{request.workgroup_size[0]} - 1) /
                                     request.workgroup_size[0]) *
      ((request.grid_size[1] + uint64_t{request.workgroup_size[1]} - 1) / request.workgroup_size[1]) *
      ((request.grid_size[2] + uint64_t{request.workgroup_size[2]} - 1) / request.workgroup_size[2]);
  if (groups >> 62) return "grid size " + triple(request.grid_size) + " makes too many workgroups";
  return {};
}

}  // namespace

Dispatch::Dispatch(const AddressSpace& space, Isa isa, CodeCache& code, CodeCache& access_code,
                   GlobalWaveSync& wave_sync, std::shared_ptr<const UnwrittenFill> fill, const DispatchRequest& request,
                   const DispatchOptions& options)
    : space_(space),
      code_(code),
      access_code_(access_code),
      wave_sync_(wave_sync),
      fill_(std::move(fill)),
      request_(request),
      options_(options),
      limit_(options.max_wave_instructions ? options.max_wave_instructions : kDefaultInstructionLimit),
      horizon_(limit_) {
  if (options.float_atomics) float_atomics_.emplace(*options.float_atomics);
  if (std::string problem = prepare(isa); !problem.empty()) {
    Fault fault;
    fault.kind = Fault::Kind::kBadDispatch;
    fault.detail = std::move(problem);
    fail(std::move(fault));
  }
}

std::string Dispatch::prepare(Isa isa) {
  if (std::string problem = check_geometry(request_); !problem.empty()) return problem;
  if (options_.adverse && is_profiled()) return "a profile in the adverse order";
  if (options_.probes && (options_.adverse || options_.checks || is_profiled()))
    return "probes together with a profile, checks or the adverse order";
  try {
    MemoryPort port(space_, nullptr);
    std::string problem;
    const uint8_t* bytes = port.check_scalar_load(request_.kernel_object, kKernelDescriptorBytes);
    if (!KernelDescriptor::parse(bytes, request_.kernel_object, isa, &kernel_, &problem)) return problem;
  } catch (const WaveFault& fault) {
    return "the kernel object is not in device memory: " + fault.detail;
  }
  if (std::string problem = preload_arguments(); !problem.empty()) return problem;

  lds_bytes_ = std::max(request_.group_segment_bytes, kernel_.group_segment_bytes);
  private_bytes_ = std::max(request_.private_segment_bytes, kernel_.private_segment_bytes);
  if (lds_bytes_ > kMaxLdsBytes)
    return "the workgroup wants " + std::to_string(lds_bytes_) + " bytes of LDS; there are 65536";
  if (private_bytes_ > kMaxPrivateBytes) {
    return "a work-item wants " + std::to_string(private_bytes_) + " bytes of private memory; the limit is 1 MiB";
  }
  workgroups_ = 1;
  uint32_t items = 1;
  for (unsigned k = 0; k < 3; ++k) {
    groups_[k] = static_cast<uint32_t>((request_.grid_size[k] + uint64_t{request_.workgroup_size[k]} - 1) /
                                       request_.workgroup_size[k]);
    workgroups_ *= groups_[k];
    items *= std::min(request_.workgroup_size[k], request_.grid_size[k]);
  }
  wave_size_ = kernel_.target.wave_size;
  max_waves_ = (items + wave_size_ - 1) / wave_size_;
  order_ = Permutation(workgroups_, options_.seed);
  find_registers_read();
  if (options_.residency) {
    const uint64_t places = workgroups_at_once(*options_.residency, kernel_, max_waves_, lds_bytes_);
    if (places < workgroups_) places_ = places;
  }
  if (!options_.probes) return {};
  ProbedGrid grid{.workgroups = workgroups_, .wave_size = wave_size_};
  std::copy_n(request_.workgroup_size, 3, grid.workgroup_size);
  std::copy_n(request_.grid_size, 3, grid.grid_size);
  return probes_.allocate(*options_.probes, grid, options_.probed);
}

// Waves of large grids are short, more often than not: what nobody reads is not filled in.
void Dispatch::find_registers_read() {
  constexpr uint64_t kManyWaves = 2048;
  if (code_.use() != CodePage::Use::kExecute || options_.adverse || workgroups_ < kManyWaves / max_waves_) return;
  MemoryPort port(space_, nullptr);
  try {
    CodePage* const page = CodeView(code_, kernel_.target).page_of(kernel_.first_instruction(), port);
    registers_read_ = page->read_before_written(kernel_.first_instruction());
  } catch (const WaveFault&) {  // the first wave raises it
  }
  if (wave_size_ == kLanes) registers_read_.reset(0);  // set_work_item_ids() writes all of v0
}

std::string Dispatch::preload_arguments() {
  if (kernel_.preloaded_dwords == 0) return {};
  const uint64_t from = request_.kernarg_address + 4 * kernel_.first_preloaded_dword;
  const uint32_t size = 4 * kernel_.preloaded_dwords;
  try {
    std::memcpy(preloaded_, MemoryPort(space_, nullptr).check_scalar_load(from, size), size);
  } catch (const WaveFault& fault) {
    return "the kernel arguments, of which " + std::to_string(size) +
           " bytes are preloaded into SGPRs, are not in device memory: " + fault.detail;
  }
  return {};
}

// In the adverse order neighbours should be resident together: by chunks of the grid, the last one (with the tails) and
// the first one before the others, which the seed chooses. If not all workgroups fit, the others ascend, as on
// hardware: one may wait for earlier ones (a look-back scan), and has a place while they continue.
uint64_t Dispatch::ordinal_of(uint64_t taken) const {
  constexpr uint64_t kChunk = 16;
  if (!options_.adverse || workgroups_ <= kChunk) return places_ > 0 ? taken : order_(taken);
  const uint64_t in_last = (workgroups_ - 1) % kChunk + 1, chunks = (workgroups_ + kChunk - 1) / kChunk;
  const auto within = [&](uint64_t first, uint64_t size, uint64_t at) {
    return first + Permutation(size, options_.seed ? mix(options_.seed ^ mix(first)) : 0)(at);
  };
  if (taken < in_last) return within(workgroups_ - in_last, in_last, taken);
  const uint64_t chunk = (taken - in_last) / kChunk;
  if (places_ > 0 && chunk > 0) return taken - in_last;
  const uint64_t chosen = chunk == 0 ? 0 : 1 + Permutation(chunks - 2, options_.seed)(chunk - 1);
  return within(chosen * kChunk, kChunk, (taken - in_last) % kChunk);
}

std::optional<uint64_t> Dispatch::take_workgroup(Share& share) {
  if (share.is_empty()) {
    const uint64_t taken = next_.load(std::memory_order_relaxed);
    if (taken >= workgroups_) return std::nullopt;
    // Several short workgroups are taken at once, which reduces contention between workers; the last ones singly, since
    // all workers are to share them.
    const uint64_t longest = longest_workgroup();
    const bool several = places_ == 0 && longest > 0 && longest <= kShortWorkgroup && workgroups_ - taken > 1024;
    const uint64_t count = several ? kShareOfShort : 1;
    share.next = std::min(workgroups_, next_.fetch_add(count, std::memory_order_relaxed));
    share.end = std::min(workgroups_, share.next + count);
    if (share.is_empty()) return std::nullopt;
  }
  return ordinal_of(share.next++);
}

bool Dispatch::take_place() {
  if (places_ == 0) return true;
  uint64_t taken = taken_places_.load(std::memory_order_relaxed);
  while (taken < places_) {
    if (taken_places_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void Dispatch::leave_place() {
  if (places_ > 0) taken_places_.fetch_sub(1, std::memory_order_relaxed);
}

std::string Dispatch::words_of_no_place() const {
  const uint64_t begun = next_.load(std::memory_order_relaxed);
  if (places_ == 0 || taken_places_.load(std::memory_order_relaxed) < places_ || begun >= workgroups_) return {};
  return "; " + std::to_string(places_) + " workgroups, all that the device (" +
         std::string(options_.residency->device) + ") holds at once, had not ended, and " +
         std::to_string(workgroups_ - begun) + " of " + std::to_string(workgroups_) +
         " had not begun: a barrier over all of them never opens";
}

void Dispatch::wave_geometry(uint64_t ordinal, uint32_t id[3], uint32_t size[3]) const {
  id[0] = static_cast<uint32_t>(ordinal % groups_[0]);
  id[1] = static_cast<uint32_t>(ordinal / groups_[0] % groups_[1]);
  id[2] = static_cast<uint32_t>(ordinal / groups_[0] / groups_[1]);
  for (unsigned k = 0; k < 3; ++k) {
    const uint64_t begin = uint64_t{id[k]} * request_.workgroup_size[k];
    size[k] = static_cast<uint32_t>(std::min<uint64_t>(request_.workgroup_size[k], request_.grid_size[k] - begin));
  }
}

uint32_t Dispatch::waves_of(uint64_t ordinal) const {
  uint32_t id[3], size[3];
  wave_geometry(ordinal, id, size);
  return (size[0] * size[1] * size[2] + wave_size_ - 1) / wave_size_;
}

void Dispatch::begin_workgroup(uint64_t ordinal, Workgroup& workgroup,
                               std::vector<std::unique_ptr<WaveSlot>>& slots) const {
  uint32_t size[3];
  wave_geometry(ordinal, workgroup.id, size);
  const uint32_t items = size[0] * size[1] * size[2];
  const uint32_t waves = (items + wave_size_ - 1) / wave_size_;
  workgroup.ordinal = ordinal;
  workgroup.instructions = 0;
  workgroup.waves.clear();
  const Permutation order(waves, options_.seed ? mix(options_.seed ^ mix(ordinal)) : 0);
  for (uint32_t k = 0; k < waves; ++k) {
    const auto index = static_cast<uint32_t>(order(k));
    WaveSlot& wave = *slots[k];
    wave.begin_wave(kernel_.vgprs, kernel_.agprs, *fill_, UnwrittenFill::line_of_wave(ordinal, index), registers_read_);
    wave.scratch.begin_wave(private_bytes_, *fill_);
    wave.clock =
        options_.machine_in_use ? WaveClock::of_machine_in_use(options_.machine_in_use, ordinal, index) : WaveClock{};
    wave.workgroup = &workgroup;
    wave.index_in_workgroup = index;
    wave.mode = kernel_.mode;
    wave.pc = kernel_.first_instruction();
    const uint32_t lanes = std::min(items - index * wave_size_, wave_size_);
    wave.set_exec(lanes == kLanes ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1);
    set_initial_registers(wave, workgroup, size, index, waves);
    workgroup.waves.push_back(&wave);
  }
}

// AMDGPUUsage "Initial Kernel Execution State": user SGPRs, then system SGPRs, each only when the descriptor enables
// it.
void Dispatch::set_initial_registers(WaveSlot& wave, const Workgroup& workgroup, const uint32_t size[3],
                                     uint32_t wave_index, uint32_t wave_count) const {
  unsigned next = 0;
  const auto push64 = [&](uint64_t value) {
    wave.set_sgpr64(next, value);
    next += 2;
  };
  if (kernel_.private_segment_buffer) {
    // Swizzled, the lanes of a wave interleaved by dwords, the lane added as index: the queue's scratch descriptor for
    // GFX9.
    const uint32_t index_stride = wave_size_ == 64 ? 3 : 2;
    push64(kScratchBackingBase | uint64_t{1} << 63);
    push64(0xffffffffu | uint64_t{(4u << 12) | (4u << 15) | (index_stride << 21) | (1u << 23)} << 32);
  }
  if (kernel_.dispatch_ptr) push64(request_.packet_address);
  if (kernel_.queue_ptr) push64(request_.queue_address);
  if (kernel_.kernarg_segment_ptr) push64(request_.kernarg_address);
  if (kernel_.dispatch_id) push64(request_.dispatch_id);
  if (kernel_.flat_scratch_init) push64(kScratchBackingBase);
  if (kernel_.private_segment_size) wave.sgpr[next++] = private_bytes_;
  std::copy_n(preloaded_, kernel_.preloaded_dwords, &wave.sgpr[next]);
  next = kernel_.user_sgprs;
  for (unsigned k = 0; k < 3; ++k) {
    if (kernel_.workgroup_id[k]) wave.sgpr[next++] = workgroup.id[k];
  }
  if (kernel_.workgroup_info) wave.sgpr[next++] = uint32_t{wave_index == 0} << 31 | wave_count;
  // gfx942 and gfx1100 have architected flat scratch: the hardware sets FLAT_SCRATCH itself, and takes no register for
  // it.
  if (kernel_.target.isa == Isa::kGfx942) {
    wave.set_sgpr64(kFlatScratch, kScratchWaveBase);
  } else if (kernel_.target.isa == Isa::kGfx1100) {
    wave.flat_scratch = kScratchWaveBase;
  } else if (kernel_.private_segment_wave_offset) {
    wave.sgpr[next++] = kScratchWaveOffset;
  }

  set_work_item_ids(wave, size, wave_index);
}

// The work-item ids are in v0, 10 bits each; on gfx1030 in v0, v1 and v2.
void Dispatch::set_work_item_ids(WaveSlot& wave, const uint32_t size[3], uint32_t wave_index) const {
  const bool packed = kernel_.target.isa != Isa::kGfx1030;
  const uint32_t first = wave_index * wave_size_;
  if (size[1] == 1 && size[2] == 1) {
    count_up(wave.vgpr[0], wave_size_, first);
    if (packed) return;
    if (kernel_.work_item_ids >= 1) std::fill_n(wave.vgpr[1], wave_size_, 0);
    if (kernel_.work_item_ids >= 2) std::fill_n(wave.vgpr[2], wave_size_, 0);
    return;
  }
  uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  const uint32_t has_y = kernel_.work_item_ids >= 1, has_z = kernel_.work_item_ids >= 2;
  // Lanes of one row, 16 at a time if rows are of whole groups of these.
  const uint32_t step = size[0] % 16 == 0 ? 16 : 1;
  for (uint32_t lane = 0; lane < wave_size_; lane += step) {
    const uint32_t id = packed ? x | (has_y * y) << 10 | (has_z * z) << 20 : x;
    if (step == 1) {
      wave.vgpr[0][lane] = id;
      if (!packed && has_y) wave.vgpr[1][lane] = y;
      if (!packed && has_z) wave.vgpr[2][lane] = z;
    } else {
      count_up(wave.vgpr[0] + lane, step, id);
      if (!packed && has_y) fill_dwords(wave.vgpr[1] + lane, step, y);
      if (!packed && has_z) fill_dwords(wave.vgpr[2] + lane, step, z);
    }
    if ((x += step) < size[0]) continue;
    x = 0;
    if (++y < size[1]) continue;
    y = 0;
    ++z;
  }
}

uint32_t Dispatch::allowance(uint32_t wanted, uint64_t unreported) const {
  const uint64_t used = executed_.load(std::memory_order_relaxed) + unreported;
  const uint64_t horizon = horizon_.load(std::memory_order_relaxed);
  if (used > horizon) return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, horizon - used + 1));
}

std::string Dispatch::words_of_limit() const {
  const std::string limit = std::to_string(limit_);
  if (horizon_.load(std::memory_order_relaxed) == most_instructions())
    return "the dispatch executed more than " + std::to_string(kMostLimits) + " times " + limit + " wave-instructions";
  return "the dispatch executed more than " + limit + " wave-instructions, and no workgroup came to its end";
}

// Workgroups that wait for each other execute more if there are more of them. While some end, nothing hangs.
void Dispatch::completed_workgroup(uint64_t instructions, uint64_t unreported) {
  const uint64_t used = executed_.load(std::memory_order_relaxed) + unreported;
  uint64_t horizon = horizon_.load(std::memory_order_relaxed);
  const uint64_t most = most_instructions(), wanted = used > most - limit_ ? most : used + limit_;
  // All workers look at it all the time: it is written seldom.
  while (horizon < wanted && (wanted == most || wanted - horizon > limit_ / 4) &&
         !horizon_.compare_exchange_weak(horizon, wanted, std::memory_order_relaxed)) {
  }
  uint64_t seen = longest_.load(std::memory_order_relaxed);
  while (seen < instructions && !longest_.compare_exchange_weak(seen, instructions, std::memory_order_relaxed)) {
  }
}

void Dispatch::fail(Fault fault) {
  std::lock_guard lock(mutex_);
  if (!fault_) {
    fault.kernel = request_.kernel_name;
    fault_ = std::move(fault);
  }
  stopped_.store(true, std::memory_order_relaxed);
}

void Dispatch::add_finding(Fault finding) {
  constexpr size_t kMost = 100;
  std::lock_guard lock(mutex_);
  const bool known = std::any_of(findings_.begin(), findings_.end(), [&](const Fault& other) {
    return other.kind == finding.kind && other.pc == finding.pc && !finding.other;
  });
  if (known || findings_.size() == kMost) return;
  finding.kernel = request_.kernel_name;
  findings_.push_back(std::move(finding));
}

void Dispatch::add_results(const Counters& counters, std::unique_ptr<AccessRecorder> recorder, Prober* prober,
                           Interpreter& interpreter) {
  std::lock_guard lock(mutex_);
  if (prober) prober->add_to_results();
  counters_ += counters;
  if (options_.profile) interpreter.add_to(*options_.profile);
  if (recorder) recorders_.push_back(std::move(recorder));
}

DispatchOutcome Dispatch::finish() {
  if (!is_stopped() && executed_.load(std::memory_order_relaxed) > most_instructions()) {
    // Workers report in batches: the last batches may exceed the limit unnoticed.
    horizon_.store(most_instructions(), std::memory_order_relaxed);
    Fault fault;
    fault.kind = Fault::Kind::kInstructionLimit;
    fault.detail = words_of_limit();
    fail(std::move(fault));
  }
  std::lock_guard lock(mutex_);
  if (options_.accesses) {
    std::vector<const AccessRecorder*> recorders;
    for (const auto& recorder : recorders_) recorders.push_back(recorder.get());
    *options_.accesses = AccessRecorder::merge(recorders);
  }
  std::vector<Fault> findings = findings_;
  if (float_atomics_) std::ranges::move(float_atomics_->findings(request_.kernel_name), std::back_inserter(findings));
  return DispatchOutcome{fault_, std::move(findings), adverse_executed_, counters_};
}

}  // namespace kernloop::softgpu
