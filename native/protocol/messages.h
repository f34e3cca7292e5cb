// Messages between agent and recorder. Same machine, same build: host byte order, one protocol number, no
// compatibility.
//
// Agent to recorder: `Hello` with two descriptors (ring, socket that wakes either side) on the socket, everything else
// as frames of the ring. Recorder to agent: `Welcome`, then one reply for each request, on the socket (SOCK_SEQPACKET:
// one message a datagram). A message is its struct and the list of its fields (fields.h), here, and nothing else
// anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/fields.h"

namespace kernloop::protocol {

inline constexpr uint32_t kMaxSelections = 64;     // one bit each in a kernel's mask
inline constexpr uint32_t kMaxOrdinalRanges = 64;  // per selection
inline constexpr uint32_t kMaxWidenings = 4;       // attempts of one selection whose scope was too small
inline constexpr uint32_t kMaxSymbolBytes = 64u << 10;
inline constexpr uint32_t kMaxReasonBytes = 16u << 10;  // may quote a fault of the device
inline constexpr uint32_t kMaxKernargBytes = 64u << 10;
inline constexpr uint32_t kMaxModuleVariables = 4096;
inline constexpr uint32_t kMaxLaunchAttributes = 64;
inline constexpr uint32_t kMaxCommandBytes = 4096;  // all arguments of a process together
inline constexpr uint32_t kMaxCommandArguments = 256;
inline constexpr uint32_t kMaxMatchSymbols = 4096;
inline constexpr uint32_t kMaxRanges = 4096;
inline constexpr uint32_t kMaxObjects = 1024;  // per executable
inline constexpr uint32_t kMaxDatagramBytes = 160u << 10;
inline constexpr uint64_t kSnapshotChunkBytes =
    4ull << 20;  // = archive::kChunkBytes: the grain in which post is compared with pre

enum class Mode : uint8_t { kCapture = 0, kProfile = 1 };
constexpr Mode last_of(Mode) {
  return Mode::kProfile;
}
enum class ScopeMode : uint8_t { kReachable = 0, kAll = 1 };
constexpr ScopeMode last_of(ScopeMode) {
  return ScopeMode::kAll;
}
enum class MemoryClass : uint8_t { kDevice = 0, kHost = 1, kModule = 2 };
constexpr MemoryClass last_of(MemoryClass) {
  return MemoryClass::kModule;
}

enum class FrameType : uint32_t {
  kQueue = 1,
  kCodeObject,
  kCodeObjectBytes,
  kKernel,
  kMatch,
  kBegin,
  kKernarg,
  kScope,
  kRegion,
  kPre,
  kPost,
  kOutside,
  kViolation,
  kCommit,
  kAbort,
  kProfile,
  kNote,
  kGoodbye,
  kTotal,
};

// Identity of the process. The recorder learns its id from the socket.
struct Hello {
  std::string executable = {};
  std::string runtime = {};  // file of the device's runtime that loaded the agent
  uint32_t parent_pid = 0;
  std::vector<std::string> command = {};  // its arguments, cut after kMaxCommandBytes
  static constexpr bool kIsGreeting = true;
  KERNLOOP_MESSAGE(Hello, executable, runtime, parent_pid, at_most<kMaxCommandArguments, kMaxCommandBytes>(command))
};

// Matches of a selection, counted from 1; both ends belong to it.
struct OrdinalRange {
  uint64_t first = 1;
  uint64_t last = 1;
  KERNLOOP_FIELDS(first, last)
  bool operator==(const OrdinalRange&) const = default;
};

// Selection among the matches that the ordinals name.
enum class Each : uint8_t {
  kDispatch = 0,  // every one
  kGeometry = 1,  // the first of each kernel and launch geometry
  kKernel = 2,    // the first of each kernel: name and code
};
constexpr Each last_of(Each) {
  return Each::kKernel;
}

struct SelectionRequest {
  std::vector<OrdinalRange> ordinals = {{}};  // ascending, apart from each other
  Each each = Each::kDispatch;
  uint64_t limit = 1;   // captures at most; 0: matches are only counted
  uint64_t after = 0;   // matches count after this many dispatches of a gate; 0: from the start
  bool to_end = false;  // counted until the process ends, even if nothing is left to capture
  ScopeMode scope = ScopeMode::kReachable;
  uint64_t byte_budget = 0;
  KERNLOOP_FIELDS(at_most<kMaxOrdinalRanges>(ordinals), each, limit, after, to_end, scope, byte_budget)
  bool operator==(const SelectionRequest&) const = default;
};

struct Welcome {
  std::string refusal;  // not empty: the agent stays out
  Mode mode = Mode::kCapture;
  uint64_t drain_limit_ms = 0;
  uint64_t run_limit_ms = 0;
  std::vector<SelectionRequest> selections;
  static constexpr bool kIsGreeting = true;
  KERNLOOP_MESSAGE(Welcome, refusal, mode, drain_limit_ms, run_limit_ms, at_most<kMaxSelections>(selections))
};

struct QueueMessage {
  uint32_t index = 0;
  std::string agent_name;
  std::string isa;
  uint32_t wavefront_size = 0;
  KERNLOOP_MESSAGE(QueueMessage, index, agent_name, isa, wavefront_size)
};

struct CodeObjectMessage {
  uint32_t object = 0;  // the agent's number for it
  uint64_t size = 0;
  KERNLOOP_MESSAGE(CodeObjectMessage, object, size)
};

// Header of a bulk frame: `id` is a code object or a region; the bytes follow to the end of the frame.
struct BulkHeader {
  static constexpr size_t kEncodedBytes = 16;
  uint32_t capture = 0;
  uint32_t id = 0;
  uint64_t offset = 0;
  KERNLOOP_FIELDS(capture, id, offset)
  Encoded encode() const;
  static std::optional<BulkHeader> decode(std::span<const uint8_t>, std::span<const uint8_t>* bulk);
};

struct KernelMessage {
  uint32_t request = 0;
  uint32_t kernel = 0;
  uint64_t kernel_object = 0;     // address of the kernel descriptor; 0 if code has no address of its own (cubins)
  std::string symbol;             // mangled, without ".kd"
  std::vector<uint32_t> objects;  // code objects of its executable
  KERNLOOP_MESSAGE(KernelMessage, request, kernel, kernel_object, at_most<kMaxSymbolBytes>(symbol),
                   at_most<kMaxObjects>(objects))
};

struct KernelReply {
  uint32_t request = 0;
  uint64_t selections = 0;  // bit i: selection i of the Welcome
  uint64_t gates = 0;       // bit i: selection i counts from behind a dispatch of it on
  uint32_t identity = 0;    // equal for equal code of the same name, even if it was loaded again
  KERNLOOP_MESSAGE(KernelReply, request, selections, gates, identity)
};

// Asks which selections want kernels of these names, before any of them is launched.
struct MatchMessage {
  uint32_t request = 0;
  std::vector<std::string> symbols;  // mangled; at most kMaxMatchSymbols
  KERNLOOP_MESSAGE(MatchMessage, request, at_most<kMaxMatchSymbols, kMaxSymbolBytes>(symbols))
};

struct MatchReply {
  uint32_t request = 0;
  std::vector<uint64_t> selections;  // one mask a symbol: of selections that it matters to, as a gate too
  KERNLOOP_MESSAGE(MatchReply, request, at_most<kMaxMatchSymbols>(selections))
};

struct LaunchGeometry {
  std::array<uint32_t, 3> grid_blocks{1, 1, 1};      // a partial block counts
  std::array<uint64_t, 3> grid_work_items{1, 1, 1};  // 2^31-1 blocks of 1024 threads are more than 32 bits count
  std::array<uint32_t, 3> block_threads{1, 1, 1};
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
  uint32_t dimensions = 1;
  KERNLOOP_FIELDS(grid_blocks, grid_work_items, block_threads, group_segment_bytes, private_segment_bytes, dimensions)
  auto operator<=>(const LaunchGeometry&) const = default;
};

// Number of blocks of a grid in work-items, as AQL packets have it.
std::array<uint32_t, 3> blocks_of(const std::array<uint64_t, 3>& work_items, const std::array<uint32_t, 3>& block);

// Further attributes of a launch, by the names of docs/archive-format.md ("geometry.attributes").
struct LaunchAttribute {
  std::string name;
  uint64_t value = 0;
  KERNLOOP_FIELDS(name, value)
  bool operator==(const LaunchAttribute&) const = default;
};

struct BeginMessage {
  uint32_t request = 0;
  uint32_t capture = 0;
  uint32_t selection = 0;
  uint32_t kernel = 0;
  uint64_t ordinal = 0;
  uint64_t index = 0;
  uint32_t queue = 0;
  ScopeMode scope = ScopeMode::kReachable;
  bool widened = false;
  LaunchGeometry geometry;
  std::vector<LaunchAttribute> launch_attributes;
  KERNLOOP_MESSAGE(BeginMessage, request, capture, selection, kernel, ordinal, index, queue, scope, widened, geometry,
                   at_most<kMaxLaunchAttributes>(launch_attributes))
};

struct ByteRange {
  uint64_t base = 0;
  uint64_t size = 0;
  KERNLOOP_FIELDS(base, size)
  bool operator==(const ByteRange&) const = default;
};

// A module variable, or a part of a module's writable memory, that belongs into the capture.
struct ModuleVariable {
  std::string name;      // empty if the address is known
  uint64_t address = 0;  // 0: the agent finds it by name
  uint64_t size = 0;
  KERNLOOP_FIELDS(at_most<kMaxSymbolBytes>(name), address, size)
  bool operator==(const ModuleVariable&) const = default;
};

struct BeginReply {
  uint32_t request = 0;
  bool granted = false;
  uint32_t kernarg_bytes = 0;
  std::vector<ByteRange> ignored_kernarg;  // offsets of hidden arguments that are not followed
  std::vector<ModuleVariable> module_variables;
  bool is_valid() const { return kernarg_bytes <= kMaxKernargBytes; }
  KERNLOOP_MESSAGE(BeginReply, request, granted, kernarg_bytes, at_most<kMaxRanges>(ignored_kernarg),
                   at_most<kMaxModuleVariables>(module_variables))
};

struct KernargMessage {
  uint32_t capture = 0;
  std::vector<uint8_t> bytes;
  KERNLOOP_MESSAGE(KernargMessage, capture, at_most<kMaxKernargBytes>(bytes))
};

struct ScopeMessage {
  uint32_t capture = 0;
  uint64_t tracked_regions = 0;
  uint64_t tracked_bytes = 0;
  KERNLOOP_MESSAGE(ScopeMessage, capture, tracked_regions, tracked_bytes)
};

// Total bytes of pre. Sent once it is known, and again if it has grown; never if it is known only in the end.
struct TotalMessage {
  uint32_t capture = 0;
  uint64_t bytes = 0;
  KERNLOOP_MESSAGE(TotalMessage, capture, bytes)
};

// Path by which a region of the scope was reached.
enum class Reached : uint8_t {
  kArguments = 0,  // the kernel arguments
  kRegion = 1,     // the contents of another region
  kVariable = 2,   // it is a variable of the kernel's module
  kAll = 3,        // none: the scope is everything
  kWidened = 4,    // an earlier attempt that lacked it, or an opaque argument
};
constexpr Reached last_of(Reached) {
  return Reached::kWidened;
}

struct Origin {
  Reached reached = Reached::kArguments;
  uint32_t region = 0;  // for kRegion
  KERNLOOP_FIELDS(reached, region)
  bool operator==(const Origin&) const = default;
};

// kRegion: a region of the scope; for a module variable, `ordinal` is its index in the BeginReply. kOutside,
// kViolation: a region outside that changed.
struct RegionMessage {
  uint32_t capture = 0;
  uint32_t region = 0;
  uint64_t base = 0;
  uint64_t size = 0;
  MemoryClass memory_class = MemoryClass::kDevice;
  std::string api;
  uint64_t ordinal = 0;
  Origin origin = {};
  // A module variable: whether the app asked for its address, and may have set it; none: not recorded.
  std::optional<bool> address_told = {};
  // For other memory: whether it is fine-grained (coherent with the host while a kernel runs); none: unknown.
  std::optional<bool> fine_grained = {};
  bool is_valid() const { return size != 0 && base + size >= base; }
  KERNLOOP_MESSAGE(RegionMessage, capture, region, base, size, memory_class, api, ordinal, origin, address_told,
                   fine_grained)
};

struct CommitMessage {
  uint32_t capture = 0;
  uint64_t duration_ns = 0;
  bool has_wave_instructions = false;
  uint64_t wave_instructions = 0;
  KERNLOOP_MESSAGE(CommitMessage, capture, duration_ns, has_wave_instructions, wave_instructions)
};

struct AbortMessage {
  uint32_t capture = 0;
  std::string code, reason, hint;
  KERNLOOP_MESSAGE(AbortMessage, capture, code, at_most<kMaxReasonBytes>(reason), hint)
};

// Resources that a launch takes on a multiprocessor, as far as the device reports them.
struct LaunchResources {
  std::optional<uint32_t> registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread,
      resident_blocks_per_multiprocessor;
  std::optional<double> occupancy_percent;  // resident warps relative to a multiprocessor's maximum
  bool is_valid() const { return !occupancy_percent || (*occupancy_percent >= 0 && *occupancy_percent <= 100); }
  KERNLOOP_FIELDS(registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread,
                  resident_blocks_per_multiprocessor, occupancy_percent)
  bool operator==(const LaunchResources&) const = default;
};

struct ProfileMessage {
  uint32_t kernel = 0;
  LaunchGeometry geometry;
  LaunchResources resources;
  bool is_wave_instructions = false;  // else nanoseconds
  uint64_t value = 0;
  // Begin and end on the host's CLOCK_MONOTONIC, and place; 0 in `end_ns`: unknown.
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t device = 0, stream = 0;
  KERNLOOP_MESSAGE(ProfileMessage, kernel, geometry, resources, is_wave_instructions, value, start_ns, end_ns, device,
                   stream)
};

struct NoteMessage {
  std::string code, text;
  KERNLOOP_MESSAGE(NoteMessage, code, at_most<kMaxReasonBytes>(text))
};

}  // namespace kernloop::protocol
