// Messages between an agent and a recorder, and the ring that a producer may fill with anything.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fuzz/target.h"
#include "protocol/messages.h"
#include "protocol/ring.h"

namespace kernloop::fuzz {
namespace {

using namespace protocol;

// A decoded message is encoded again in the same way.
template <typename Message>
void decode(Bytes bytes) {
  const auto message = Message::decode(bytes);
  if (!message) return;
  const Encoded said = message->encode();
  const auto again = Message::decode(said);
  require(again.has_value() && again->encode() == said, "a message survives being said again");
}

void decode_bulk(Bytes bytes) {
  Bytes bulk;
  if (BulkHeader::decode(bytes, &bulk))
    require(bulk.size() + BulkHeader::kEncodedBytes == bytes.size(), "bulk data is the rest of the frame");
}

using Decode = void (*)(Bytes);
constexpr Decode kDecodes[] = {decode<Hello>,         decode<Welcome>,           decode<QueueMessage>,
                               decode<KernelMessage>, decode<KernelReply>,       decode<MatchMessage>,
                               decode<MatchReply>,    decode<BeginMessage>,      decode<BeginReply>,
                               decode<ScopeMessage>,  decode<KernargMessage>,    decode<RegionMessage>,
                               decode<CommitMessage>, decode<AbortMessage>,      decode<ProfileMessage>,
                               decode<NoteMessage>,   decode<CodeObjectMessage>, decode_bulk,
                               decode<TotalMessage>};

template <typename Message>
Input seed(uint8_t kind, const Message& message) {
  const Encoded bytes = message.encode();
  Input input{kind};
  input.insert(input.end(), bytes.begin(), bytes.end());
  return input;
}

std::vector<Input> message_seeds() {
  Welcome welcome;
  welcome.selections = {{{{3, 7}, {9, UINT64_MAX}}, Each::kGeometry, 4, 2, true, ScopeMode::kAll, 5}};
  KernelMessage kernel;
  kernel.symbol = "_Z5saxpy", kernel.objects = {1, 2};
  MatchMessage match;
  match.symbols = {"a", "b"};
  MatchReply mask;
  mask.selections = {1, 2};
  BeginMessage begin;
  begin.launch_attributes = {{"cooperative", 1}};
  BeginReply granted;
  granted.ignored_kernarg = {{8, 8}}, granted.module_variables = {{"v", 0, 4}};
  KernargMessage kernarg;
  kernarg.bytes = Input(16, 3);
  RegionMessage region;
  region.api = "hipMalloc";
  ProfileMessage profile;
  profile.resources.registers_per_thread = 7, profile.resources.occupancy_percent = 50;
  return {seed(0, Hello{"/bin/app", "/lib/runtime.so", 7, {"app", "--all"}}),
          seed(1, welcome),
          seed(2, QueueMessage{0, "agent", "gfx90a", 64}),
          seed(3, kernel),
          seed(4, KernelReply{1, 2}),
          seed(5, match),
          seed(6, mask),
          seed(7, begin),
          seed(8, granted),
          seed(9, ScopeMessage{1, 2, 3}),
          seed(10, kernarg),
          seed(11, region),
          seed(12, CommitMessage{1, 2, true, 4}),
          seed(13, AbortMessage{1, "CODE", "why", "what to do"}),
          seed(14, profile),
          seed(15, NoteMessage{"CODE", "text"}),
          seed(16, CodeObjectMessage{1, 2}),
          seed(17, BulkHeader{1, 2, 3}),
          seed(18, TotalMessage{1, 2})};
}

const Registration kMessages({"protocol",
                              [](Bytes bytes) {
                                if (!bytes.empty()) kDecodes[bytes[0] % std::size(kDecodes)](bytes.subspan(1));
                              },
                              message_seeds});

// 8 bytes of `head`, 8 of `capacity`, and the ring's content from its start.
void read_ring(Bytes bytes) {
  static const int fd = RingMapping::create_memfd(kMinRingBytes);
  static RingMapping ring = RingMapping::map(fd, true);
  require(static_cast<bool>(ring), "a ring");
  if (bytes.size() < 16) return;
  uint64_t head, capacity;
  std::memcpy(&head, bytes.data(), 8);
  std::memcpy(&capacity, bytes.data() + 8, 8);
  const Bytes data = bytes.subspan(16, std::min<size_t>(bytes.size() - 16, kMinRingBytes));
  std::memcpy(ring.data(), data.data(), data.size());
  RingHeader& header = ring.header();
  header.capacity = capacity;
  header.head.store(head), header.tail.store(0);
  RingConsumer consumer(ring);
  std::vector<uint8_t> payload;
  uint32_t type = 0;
  // Each frame takes a place: they end.
  for (uint64_t frames = 0; consumer.read(&type, &payload) == RingConsumer::Outcome::kFrame; ++frames) {
    require(payload.size() <= kMaxFrameBytes, "frames are bounded");
    require(frames <= kMinRingBytes / sizeof(FrameHeader), "frames end");
  }
}

std::vector<Input> ring_seeds() {
  Input input(16 + 64);
  const uint64_t head = 40, capacity = kMinRingBytes;
  std::memcpy(input.data(), &head, 8);
  std::memcpy(input.data() + 8, &capacity, 8);
  const FrameHeader frames[] = {{1, 8}, {2, 13}};
  std::memcpy(input.data() + 16, &frames[0], 8);
  std::memcpy(input.data() + 32, &frames[1], 8);
  return {input};
}

const Registration kRing({"ring", read_ring, ring_seeds});

}  // namespace
}  // namespace kernloop::fuzz
