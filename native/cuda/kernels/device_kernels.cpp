#include "cuda/kernels/device_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "cuda/kernels/checksum_mix.h"
#include "cuda/kernels/device_kernels_params.h"
#include "cuda/kernels/device_kernels_ptx.h"
#include "cuda/kernels/pinned_buffer.h"

namespace kernloop::cuda {
namespace {

constexpr uint64_t kMinSliceBytes = 16 << 10, kMaxSliceBytes = 256 << 10;
constexpr uint64_t kAddressBits = 48;

static_assert(sizeof(BlockResult) == 16 && sizeof(SearchTarget) == 16);  // written and read as 16-byte words
static_assert(LaunchLimits{}.targets == kMaxSearchTargets);

uint64_t divide_up(uint64_t value, uint64_t by) {
  return value / by + (value % by != 0);
}

Error bad_argument(const std::string& what) {
  return {"INTERNAL_ERROR", "device kernels: " + what, "this is a bug in Kernloop: please report it"};
}

Status check_range(uint64_t base, uint64_t bytes) {
  if (base + bytes < base) return bad_argument("the range wraps around the end of the address space");
  return Unit{};
}

// Bytes of a slice: enough slices to fill the device, none so small that its fixed costs show.
uint64_t slice_bytes_of(uint64_t bytes) {
  return std::clamp(bytes / 4096 / 16 * 16, kMinSliceBytes, kMaxSliceBytes);
}

struct SliceGrid {
  uint64_t slice_bytes, slices_per_chunk, slices;
  SliceGrid(uint64_t bytes, uint64_t chunk_bytes) {
    const uint64_t used_of_chunk = std::min(chunk_bytes, bytes);
    slice_bytes = std::min(slice_bytes_of(bytes), chunk_bytes);
    slices_per_chunk = divide_up(used_of_chunk, slice_bytes);
    const uint64_t last_chunk = (bytes - 1) / chunk_bytes;
    slices = last_chunk * slices_per_chunk + divide_up(bytes - last_chunk * chunk_bytes, slice_bytes);
  }
};

// Targets that can be pointed to (addresses in memory have 48 bits), with their indices.
struct Targets {
  std::vector<SearchTarget> ranges;
  std::vector<uint32_t> indices;
};

Result<Targets> searchable(std::span<const AddressRange> targets) {
  constexpr uint64_t kLimit = 1ull << kAddressBits;
  if (targets.size() > UINT32_MAX) return bad_argument("more than 2^32 targets");
  Targets result;
  uint64_t end = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    const AddressRange& target = targets[i];
    if (target.base < end || target.end() < target.base) return bad_argument("targets are not sorted and disjoint");
    end = target.end();
    if (target.size == 0 || target.base >= kLimit) continue;
    result.ranges.push_back({target.base, std::min(end, kLimit)});
    result.indices.push_back(static_cast<uint32_t>(i));
  }
  return result;
}

// The search of one region, for one set of targets.
SearchParams search_params(uint64_t base, uint64_t bytes, std::span<const SearchTarget> targets) {
  SearchParams p{};
  p.base = base;
  p.bytes = bytes;
  p.low = targets.front().begin;
  p.span = targets.back().end - p.low;
  uint64_t bits = 0;
  for (const SearchTarget& target : targets) bits |= target.begin;
  p.unaligned_base_bits = bits == 0 ? 0 : (1ull << std::countr_zero(bits)) - 1;
  p.targets = static_cast<uint32_t>(targets.size());
  p.sample_stride = static_cast<uint32_t>(divide_up(targets.size(), kMaxSearchSamples));
  p.samples = static_cast<uint32_t>(divide_up(targets.size(), p.sample_stride));

  const uint64_t from_word = base % 16 + bytes;  // the region's end, counted from word 0
  const uint64_t words = divide_up(from_word, 16);
  p.first_word = base % 16 == 0 ? 0 : 1;
  p.stop_word = std::max(p.first_word, from_word < 24 ? 0 : (from_word - 24) / 16 + 1);
  if (p.first_word == 1) p.end_word[p.end_words++] = 0;
  for (uint64_t word = p.stop_word; word < words; ++word) p.end_word[p.end_words++] = word;
  return p;
}

}  // namespace

Checksum128 checksum_on_host(std::span<const uint8_t> chunk) {
  ChecksumSum sum{0, 0};
  for (uint64_t at = 0; at < chunk.size(); at += 16) {
    uint64_t word[2] = {0, 0};
    std::memcpy(word, chunk.data() + at, std::min<uint64_t>(16, chunk.size() - at));
    const ChecksumSum mixed = mix_word(word[0], word[1], at / 16);
    sum = {sum.first + mixed.first, sum.second + mixed.second};
  }
  const ChecksumSum last = finish_checksum(sum, chunk.size());
  return {last.first, last.second};
}

struct DeviceKernels::State {
  State(const Driver& with, LaunchLimits within) : driver(with), limits(within), buffer(with) {}
  ~State() {
    // At process exit the driver may be gone, and the context too: nothing can be done then.
    if (context == nullptr || driver.cuCtxPushCurrent(context) != CUDA_SUCCESS) return;
    buffer.release();
    if (own_stream != nullptr) driver.cuStreamDestroy(own_stream);
    if (module != nullptr) driver.cuModuleUnload(module);
    CUcontext popped;
    driver.cuCtxPopCurrent(&popped);
  }

  Error failed(const char* doing, CUresult result) const {
    return {"DEVICE_ERROR", std::string("device kernels: ") + doing + ": " + driver.describe(result),
            "if the app had an error on this device before, nothing works there any more; else run `kernloop doctor`"};
  }
  Status check(const char* doing, CUresult result) const {
    if (result != CUDA_SUCCESS) return failed(doing, result);
    return Unit{};
  }

  // Runs body() with the context current.
  template <typename Body>
  Status in_context(Body&& body) {
    if (CUresult result = driver.cuCtxPushCurrent(context)) return failed("cuCtxPushCurrent", result);
    Status status = body();
    CUcontext popped;
    if (CUresult result = driver.cuCtxPopCurrent(&popped); result != CUDA_SUCCESS && status.ok())
      return failed("cuCtxPopCurrent", result);
    return status;
  }

  // Divides a range into pieces within one launch's limits: run(offset, bytes).
  template <typename Run>
  Status for_pieces(uint64_t bytes, Run&& run) {
    for (uint64_t offset = 0; offset < bytes; offset += limits.bytes) {
      Status status = run(offset, std::min(limits.bytes, bytes - offset));
      if (!status) return status;
    }
    return Unit{};
  }

  template <typename Params>
  Status launch(const char* name, CUfunction kernel, uint64_t blocks, Params params) {
    void* arguments[] = {&params};
    const CUresult result = driver.cuLaunchKernel(kernel, static_cast<unsigned>(blocks), 1, 1, kThreadsPerBlock, 1, 1,
                                                  0, stream, arguments, nullptr);
    return check(name, result);
  }
  Status wait(const char* name) { return check(name, driver.cuStreamSynchronize(stream)); }

  // A kernel that leaves one BlockResult a block: visit(block, result) for each.
  template <typename Params, typename Visit>
  Status reduce(const char* name, CUfunction kernel, uint64_t blocks, Params params, Visit&& visit) {
    Status status = buffer.reserve(blocks * sizeof(BlockResult));
    if (!status) return status;
    params.results = buffer.device();
    status = launch(name, kernel, blocks, params);
    if (status) status = wait(name);
    if (!status) return status;
    const auto* results = static_cast<const BlockResult*>(buffer.host());
    for (uint64_t block = 0; block < blocks; ++block) visit(block, results[block]);
    return Unit{};
  }
  // Runs such a kernel over a range, or two.
  template <typename Visit>
  Status over_range(const char* name, CUfunction kernel, uint64_t base, uint64_t other, uint64_t bytes, Visit&& visit) {
    return for_pieces(bytes, [&](uint64_t offset, uint64_t piece) {
      const uint64_t slice = slice_bytes_of(piece);
      const RangeParams params{base + offset, piece, other + offset, slice / 16, 0};
      return reduce(name, kernel, divide_up(piece, slice), params,
                    [&](uint64_t, const BlockResult& result) { visit(offset, result); });
    });
  }
  Status difference(const char* name, CUfunction kernel, uint64_t base, uint64_t other, uint64_t bytes,
                    Comparison* comparison) {
    *comparison = {0, UINT64_MAX};
    return over_range(name, kernel, base, other, bytes, [&](uint64_t offset, const BlockResult& result) {
      comparison->differing_bytes += result.first;
      if (result.second != UINT64_MAX)
        comparison->first_difference = std::min(comparison->first_difference, offset + result.second);
    });
  }

  Status checksums(uint64_t base, uint64_t bytes, uint64_t chunk_bytes, std::span<Checksum128> out);
  Status set_targets(std::span<const SearchTarget> targets);
  Status search(uint64_t base, uint64_t bytes, std::span<const SearchTarget> targets, bool tagged_interior);
  Status take_hits(std::span<const uint32_t> indices, std::vector<uint32_t>* hits);
  Status fill(uint64_t base, uint64_t bytes, uint64_t pattern);

  const Driver& driver;
  const LaunchLimits limits;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUstream stream = nullptr, own_stream = nullptr;
  PinnedBuffer buffer;  // data that the host reads or writes for the current launch
  CUfunction kernel_checksums = nullptr, kernel_restore = nullptr, kernel_compare = nullptr, kernel_touch = nullptr,
             kernel_fill = nullptr, kernel_set_targets = nullptr, kernel_find_pointers = nullptr,
             kernel_take_hits = nullptr;
};

Status DeviceKernels::State::checksums(uint64_t base, uint64_t bytes, uint64_t chunk_bytes,
                                       std::span<Checksum128> out) {
  const SliceGrid grid(bytes, chunk_bytes);
  std::vector<ChecksumSum> sums(out.size(), ChecksumSum{0, 0});
  const uint64_t slices_per_launch = std::clamp<uint64_t>(limits.bytes / grid.slice_bytes, 1, limits.blocks);
  for (uint64_t first = 0; first < grid.slices; first += slices_per_launch) {
    const ChecksumParams params{base, bytes, chunk_bytes, grid.slice_bytes, grid.slices_per_chunk, first, 0};
    Status status = reduce("kernloop_checksums", kernel_checksums, std::min(slices_per_launch, grid.slices - first),
                           params, [&](uint64_t block, const BlockResult& result) {
                             ChecksumSum& sum = sums[(first + block) / grid.slices_per_chunk];
                             sum = {sum.first + result.first, sum.second + result.second};
                           });
    if (!status) return status;
  }
  for (size_t chunk = 0; chunk < out.size(); ++chunk) {
    const ChecksumSum last = finish_checksum(sums[chunk], std::min(chunk_bytes, bytes - chunk * chunk_bytes));
    out[chunk] = {last.first, last.second};
  }
  return Unit{};
}

Status DeviceKernels::State::set_targets(std::span<const SearchTarget> targets) {
  Status status = buffer.reserve(targets.size_bytes());
  if (!status) return status;
  std::memcpy(buffer.host(), targets.data(), targets.size_bytes());
  status = launch("kernloop_set_targets", kernel_set_targets, divide_up(targets.size(), kThreadsPerBlock),
                  SetTargetsParams{buffer.device(), targets.size()});
  return status ? wait("kernloop_set_targets") : status;
}

Status DeviceKernels::State::search(uint64_t base, uint64_t bytes, std::span<const SearchTarget> targets,
                                    bool tagged_interior) {
  SearchParams whole = search_params(base, bytes, targets);
  whole.tagged_interior = tagged_interior ? 1 : 0;
  SearchParams piece = whole;
  do {
    piece.stop_word = std::min(whole.stop_word, piece.first_word + limits.bytes / 16);
    const uint64_t blocks = std::clamp<uint64_t>((piece.stop_word - piece.first_word) / 4 / kThreadsPerBlock, 1, 8192);
    Status status = launch("kernloop_find_pointers", kernel_find_pointers, blocks, piece);
    if (status) status = wait("kernloop_find_pointers");
    if (!status) return status;
    piece.end_words = 0;
    piece.first_word = piece.stop_word;
  } while (piece.first_word < whole.stop_word);
  return Unit{};
}

Status DeviceKernels::State::take_hits(std::span<const uint32_t> indices, std::vector<uint32_t>* hits) {
  const uint64_t words = divide_up(indices.size(), 32);
  Status status = buffer.reserve(words * 4);
  if (status)
    status = launch("kernloop_take_hits", kernel_take_hits, divide_up(words, kThreadsPerBlock),
                    TakeHitsParams{buffer.device(), indices.size()});
  if (status) status = wait("kernloop_take_hits");
  if (!status) return status;
  const auto* bits = static_cast<const uint32_t*>(buffer.host());
  for (size_t i = 0; i < indices.size(); ++i)
    if ((bits[i / 32] >> (i % 32) & 1) != 0) hits->push_back(indices[i]);
  return Unit{};
}

Status DeviceKernels::State::fill(uint64_t base, uint64_t bytes, uint64_t pattern) {
  return for_pieces(bytes, [&](uint64_t offset, uint64_t piece) {
    const uint64_t blocks = std::clamp<uint64_t>(piece / 16 / 4 / kThreadsPerBlock, 1, 8192);
    Status status = launch("kernloop_fill", kernel_fill, blocks, FillParams{base + offset, piece, pattern});
    return status ? wait("kernloop_fill") : status;
  });
}

DeviceKernels::DeviceKernels(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceKernels::~DeviceKernels() = default;

Result<std::unique_ptr<DeviceKernels>> DeviceKernels::load(const Driver& driver, LaunchLimits limits,
                                                           std::optional<CUstream> stream) {
  auto state = std::make_unique<State>(driver, limits);
  State& s = *state;
  if (CUresult result = driver.cuCtxGetCurrent(&s.context)) return s.failed("cuCtxGetCurrent", result);
  if (s.context == nullptr) return bad_argument("no context is current");
  if (CUresult result = driver.cuModuleLoadData(&s.module, device_kernels_ptx()))
    return s.failed("cuModuleLoadData of device_kernels.ptx", result);
  if (stream) {
    s.stream = *stream;
  } else if (CUresult result = driver.cuStreamCreate(&s.own_stream, CU_STREAM_NON_BLOCKING)) {
    return s.failed("cuStreamCreate", result);
  } else {
    s.stream = s.own_stream;
  }
  // All that any call needs: allocating pinned memory later could wait for the device.
  if (Status status = s.buffer.reserve(16ull * std::max(limits.blocks, limits.targets)); !status) return status.error();
  const std::pair<const char*, CUfunction*> kernels[] = {
      {"kernloop_checksums", &s.kernel_checksums},
      {"kernloop_restore", &s.kernel_restore},
      {"kernloop_compare", &s.kernel_compare},
      {"kernloop_touch", &s.kernel_touch},
      {"kernloop_fill", &s.kernel_fill},
      {"kernloop_set_targets", &s.kernel_set_targets},
      {"kernloop_find_pointers", &s.kernel_find_pointers},
      {"kernloop_take_hits", &s.kernel_take_hits},
  };
  for (const auto& [name, function] : kernels)
    if (CUresult result = driver.cuModuleGetFunction(function, s.module, name)) return s.failed(name, result);
  std::unique_ptr<DeviceKernels> loaded(new DeviceKernels(std::move(state)));
  if (Status status = loaded->self_test(); !status) return status.error();
  return loaded;
}

// Small, and not aligned; a wrong PTX, a driver that miscompiles it or a device that cannot reach host memory show
// here.
Status DeviceKernels::self_test() {
  constexpr uint64_t kBytes = 1003, kOne = 3, kTwo = 2048 + 8;
  PinnedBuffer memory(state_->driver);
  Status status = memory.reserve(4096);
  if (!status) return status;
  auto* host = static_cast<uint8_t*>(memory.host());
  const uint64_t one = memory.device() + kOne, two = memory.device() + kTwo;
  const AddressRange target{one & ((1ull << kAddressBits) - 1), kBytes};
  Checksum128 checksum;
  Comparison comparison;
  std::vector<uint32_t> hits;
  uint64_t changed = 0;
  std::memset(host, 0, 4096);

  status = fill(one, kBytes, 0x0123456789ABCDEFull);
  if (status) status = fill(two, kBytes, target.base + 5);
  if (status) status = checksums(one, kBytes, 1008, {&checksum, 1});
  if (status) status = find_pointers(two, kBytes, {&target, 1}, &hits);
  if (status) status = touch(two, kBytes);
  if (status) status = compare(one, two, kBytes, &comparison);
  if (!status) return status;
  uint64_t differing = 0;
  for (uint64_t i = 0; i < kBytes; ++i) differing += host[kOne + i] != host[kTwo + i];
  bool right = host[kOne] == 0xEF && host[kOne + 7] == 0x01 && host[kOne - 1] == 0 && host[kOne + kBytes] == 0;
  right = right && checksum == checksum_on_host({host + kOne, kBytes}) && hits.size() == 1;
  right = right && comparison.differing_bytes == differing;
  status = restore(two, one, kBytes, &changed);
  if (!status) return status;
  right = right && changed == differing && std::memcmp(host + kOne, host + kTwo, kBytes) == 0;
  if (right) return Unit{};
  return Error{"CUDA_KERNELS_WRONG", "device kernels: they compute something else on this device than on the host",
               "update the driver; if it is recent, please report this with the name of the GPU"};
}

Status DeviceKernels::checksums(CUdeviceptr base, uint64_t bytes, uint64_t chunk_bytes, std::span<Checksum128> out) {
  if (chunk_bytes == 0 || chunk_bytes % 16 != 0) return bad_argument("a chunk is not a multiple of 16 bytes");
  if (out.size() != divide_up(bytes, chunk_bytes)) return bad_argument("there must be one checksum a chunk");
  if (Status status = check_range(base, bytes); !status) return status;
  if (bytes == 0) return Unit{};
  return state_->in_context([&] { return state_->checksums(base, bytes, chunk_bytes, out); });
}

Status DeviceKernels::find_pointers(CUdeviceptr base, uint64_t bytes, std::span<const AddressRange> targets,
                                    std::vector<uint32_t>* hits, bool tagged_interior) {
  hits->clear();
  if (Status status = check_range(base, bytes); !status) return status;
  Result<Targets> all = searchable(targets);
  if (!all) return all.error();
  if (bytes < 8) return Unit{};
  return state_->in_context([&]() -> Status {
    for (size_t first = 0; first < all->ranges.size(); first += state_->limits.targets) {
      const size_t count = std::min<size_t>(state_->limits.targets, all->ranges.size() - first);
      const std::span ranges = std::span(all->ranges).subspan(first, count);
      Status status = state_->set_targets(ranges);
      if (status) status = state_->search(base, bytes, ranges, tagged_interior);
      if (status) status = state_->take_hits(std::span(all->indices).subspan(first, count), hits);
      if (!status) return status;
    }
    return Unit{};
  });
}

Status DeviceKernels::restore(CUdeviceptr destination, CUdeviceptr source, uint64_t bytes, uint64_t* changed_bytes) {
  *changed_bytes = 0;
  for (const uint64_t base : {destination, source})
    if (Status status = check_range(base, bytes); !status) return status;
  if (destination < source + bytes && source < destination + bytes) return bad_argument("the ranges overlap");
  Comparison comparison;
  Status status = state_->in_context([&] {
    return state_->difference("kernloop_restore", state_->kernel_restore, destination, source, bytes, &comparison);
  });
  *changed_bytes = comparison.differing_bytes;
  return status;
}

Status DeviceKernels::compare(CUdeviceptr one, CUdeviceptr two, uint64_t bytes, Comparison* result) {
  for (const uint64_t base : {one, two})
    if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context(
      [&] { return state_->difference("kernloop_compare", state_->kernel_compare, one, two, bytes, result); });
}

Status DeviceKernels::fill(CUdeviceptr base, uint64_t bytes, uint64_t pattern) {
  if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context([&] { return state_->fill(base, bytes, pattern); });
}

Status DeviceKernels::touch(CUdeviceptr base, uint64_t bytes) {
  if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context([&] {
    return state_->over_range("kernloop_touch", state_->kernel_touch, base, base, bytes,
                              [](uint64_t, const BlockResult&) {});
  });
}

Status DeviceKernels::flush_l2(CUdeviceptr scratch, uint64_t bytes) {
  Status status = fill(scratch, bytes, 0);
  return status ? touch(scratch, bytes) : status;
}

}  // namespace kernloop::cuda
