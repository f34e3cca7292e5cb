// Ring and messages, without a recorder.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "base/testing/soon.h"
#include "capture/core/this_process.h"
#include "protocol/messages.h"
#include "protocol/ring.h"

namespace kernloop::capture {
namespace {

std::vector<uint8_t> frame_bytes(uint32_t number, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(number * 31 + i);
  return bytes;
}

TEST(Ring, FramesOfEverySizeCrossToAnotherProcessInOrder) {
  const int fd = RingMapping::create_memfd(128u << 10);
  ASSERT_GE(fd, 0);
  constexpr uint32_t kFrames = 20000;
  const pid_t child = fork();
  if (child == 0) {
    RingMapping ring = RingMapping::map(fd, false);
    RingProducer producer(ring);
    std::mt19937 random(5);
    for (uint32_t i = 0; i < kFrames; ++i) {
      const auto bytes = frame_bytes(i, random() % 3000);
      const size_t split = bytes.empty() ? 0 : random() % bytes.size();
      const auto write = [&] {
        return producer.try_write(i, std::span(bytes).first(split), std::span(bytes).subspan(split));
      };
      if (!soon(write)) _exit(1);
    }
    _exit(0);
  }
  RingMapping ring = RingMapping::map(fd, true);
  ASSERT_TRUE(ring);
  RingConsumer consumer(ring);
  std::mt19937 random(5);
  for (uint32_t i = 0; i < kFrames;) {
    uint32_t type = 0;
    std::vector<uint8_t> payload;
    auto outcome = RingConsumer::Outcome::kEmpty;
    ASSERT_TRUE(soon([&] { return (outcome = consumer.read(&type, &payload)) != RingConsumer::Outcome::kEmpty; }));
    ASSERT_NE(outcome, RingConsumer::Outcome::kCorrupt);
    ASSERT_EQ(type, i);
    ASSERT_EQ(payload, frame_bytes(i, random() % 3000));
    if (!payload.empty()) random();
    ++i;
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(fd);
}

TEST(Ring, AFrameMayBeTakenInPiecesOrNotAtAll) {
  const int fd = RingMapping::create_memfd(kMinRingBytes);
  RingMapping ring = RingMapping::map(fd, true);
  RingProducer producer(ring);
  RingConsumer consumer(ring);
  uint32_t type = 0, size = 0;
  EXPECT_EQ(consumer.peek(&type, &size), RingConsumer::Outcome::kEmpty);
  // Again and again, so that frames wrap around the end of the ring.
  for (uint32_t round = 0; round < 100; ++round) {
    const auto bytes = frame_bytes(round, 20000);
    ASSERT_TRUE(producer.try_write(round, bytes, {}));
    ASSERT_TRUE(producer.try_write(round + 1000, bytes, {}));
    for (int look = 0; look < 2; ++look) {
      ASSERT_EQ(consumer.peek(&type, &size), RingConsumer::Outcome::kFrame);
      ASSERT_EQ(type, round) << "it stays until it is skipped";
      ASSERT_EQ(size, 20000u);
    }
    std::vector<uint8_t> pieces(20000);
    consumer.copy(0, std::span(pieces).first(16));
    consumer.copy(16, std::span(pieces).subspan(16));
    EXPECT_EQ(pieces, bytes);
    std::vector<uint8_t> beyond(8, 0xee);
    consumer.copy(19996, beyond);
    EXPECT_EQ(beyond, std::vector<uint8_t>(8, 0xee)) << "what is behind the frame is not of it";
    consumer.skip();
    ASSERT_EQ(consumer.peek(&type, &size), RingConsumer::Outcome::kFrame);
    EXPECT_EQ(type, round + 1000);
    consumer.skip();
  }
  EXPECT_TRUE(consumer.empty());
  close(fd);
}

TEST(Ring, AMemfdThatCouldShrinkIsRefused) {
  const int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(fd, static_cast<off_t>(ring_map_bytes(kDefaultRingBytes))), 0);
  EXPECT_FALSE(RingMapping::map(fd, true));
  close(fd);
}

TEST(Ring, AFrameLargerThanTheLimitIsNotWritten) {
  const int fd = RingMapping::create_memfd(16u << 20);
  RingMapping ring = RingMapping::map(fd, true);
  RingProducer producer(ring);
  const std::vector<uint8_t> large(kMaxFrameBytes + 1);
  EXPECT_FALSE(producer.try_write(1, large, {}));
  close(fd);
}

template <typename Message>
void survives_truncation(const Message& message) {
  const Encoded bytes = message.encode();
  ASSERT_TRUE(Message::decode(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Message::decode(std::span(bytes).first(size))) << "at " << size << " of " << bytes.size();
  }
  Encoded longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(Message::decode(longer)) << "bytes left over";
}

TEST(Messages, AGreetingOfTooManyArgumentsIsRefused) {
  Hello hello;
  hello.command.assign(kMaxCommandArguments, "a");
  EXPECT_TRUE(Hello::decode(hello.encode()));
  hello.command.emplace_back("one more");
  EXPECT_FALSE(Hello::decode(hello.encode()));
}

TEST(Messages, ACommandLineIsSplitAtItsZeroBytes) {
  using std::literals::operator""sv;
  EXPECT_EQ(split_command("app\0--name\0\0two words\0"sv),
            (std::vector<std::string>{"app", "--name", "", "two words"}));
  EXPECT_EQ(split_command("app\0cut o"sv), (std::vector<std::string>{"app", "cut o"}));
  EXPECT_TRUE(split_command("").empty());
  EXPECT_EQ(split_command(std::string(4096, '\0')).size(), kMaxCommandArguments);
}

TEST(Messages, NothingButAWholeMessageIsDecoded) {
  survives_truncation(Hello{"/bin/app", "/lib/runtime.so", 7, {"app", "", "--all"}});
  Welcome welcome;
  welcome.selections.resize(3);
  survives_truncation(welcome);
  survives_truncation(QueueMessage{1, "gpu", "isa", 64});
  survives_truncation(CodeObjectMessage{1, 2});
  survives_truncation(KernelMessage{1, 2, 3, "symbol", {1, 2, 3}});
  survives_truncation(MatchMessage{1, {"one", "two"}});
  survives_truncation(MatchReply{1, {0, 5}});
  survives_truncation(KernelReply{1, 2, 3, 4});
  BeginMessage begin;
  begin.launch_attributes = {{"cooperative", 1}, {"cluster_blocks_x", 2}};
  survives_truncation(begin);
  survives_truncation(BeginReply{1, true, 64, {{0, 8}}, {{"counter", 0, 2}, {"", 3, 4}}});
  survives_truncation(KernargMessage{1, {1, 2, 3}});
  survives_truncation(ScopeMessage{1, 2, 3});
  survives_truncation(TotalMessage{1, 2});
  survives_truncation(RegionMessage{1, 2, 3, 4, MemoryClass::kHost, "api", 5});
  survives_truncation(CommitMessage{1, 2, true, 3});
  survives_truncation(AbortMessage{1, "code", "reason", "hint"});
  survives_truncation(ProfileMessage{});
  survives_truncation(NoteMessage{"code", "text"});
}

TEST(Messages, CountsThatLieDoNotAllocate) {
  Encoded bytes = BeginReply{1, true, 64, {}, {}}.encode();
  std::fill(bytes.end() - 4, bytes.end(), 0xff);  // the number of ranges that follow
  EXPECT_FALSE(BeginReply::decode(bytes));
}

TEST(Messages, WhatIsNotKnownOfALaunchStaysUnknown) {
  ProfileMessage sample;
  sample.resources = {32, std::nullopt, 0, std::nullopt, 4, 37.5};
  EXPECT_EQ(ProfileMessage::decode(sample.encode())->resources, sample.resources);
  sample.resources.occupancy_percent = 100.5;
  EXPECT_FALSE(ProfileMessage::decode(sample.encode()));
}

TEST(Messages, GridsOfMoreThan32BitsOfWorkItemsAreCounted) {
  EXPECT_EQ(blocks_of({(uint64_t{1} << 41) - 1024, 1000, 1}, {1024, 256, 1}),
            (std::array<uint32_t, 3>{0x7fffffff, 4, 1}));
}

TEST(Messages, RegionsThatWrapAroundAreRefused) {
  EXPECT_FALSE(RegionMessage::decode(RegionMessage{0, 0, ~uint64_t{0} - 4, 64, MemoryClass::kDevice, "", 0}.encode()));
  EXPECT_FALSE(RegionMessage::decode(RegionMessage{0, 0, 4096, 0, MemoryClass::kDevice, "", 0}.encode()));
}

// All that a new message is.
struct ToyMessage {
  uint32_t capture = 0;
  std::string note;
  MemoryClass memory_class = MemoryClass::kDevice;
  std::optional<uint32_t> count;
  std::vector<ByteRange> ranges;
  KERNLOOP_MESSAGE(ToyMessage, capture, at_most<3>(note), memory_class, count, at_most<2>(ranges))
};

TEST(Messages, AMessageIsItsListOfFields) {
  const ToyMessage message{7, "abc", MemoryClass::kHost, std::nullopt, {{1, 2}}};
  survives_truncation(message);
  const auto read = ToyMessage::decode(message.encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->capture, 7u);
  EXPECT_EQ(read->note, "abc");
  EXPECT_EQ(read->memory_class, MemoryClass::kHost);
  EXPECT_EQ(read->count, std::nullopt);
  EXPECT_EQ(read->ranges, message.ranges);
  EXPECT_FALSE(ToyMessage::decode(ToyMessage{7, "abcd", MemoryClass::kHost, 1, {}}.encode())) << "a longer text";
  EXPECT_FALSE(ToyMessage::decode(ToyMessage{7, "", MemoryClass::kHost, 1, {{}, {}, {}}}.encode())) << "a longer list";
  const auto no_class = static_cast<MemoryClass>(3);
  EXPECT_FALSE(ToyMessage::decode(ToyMessage{7, "", no_class, 1, {}}.encode())) << "no value of that enum";
}

TEST(Messages, TheWireHasTheFieldsInTheirOrderAndNothingBetween) {
  const Encoded expected = {7, 0, 0, 0, 1, 0, 0, 0, 'a', 1, 1, 5, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ((ToyMessage{7, "a", MemoryClass::kHost, 5, {}}.encode()), expected);
  Encoded two = expected;
  two[10] = 2;  // neither known nor not
  EXPECT_FALSE(ToyMessage::decode(two));
}

// The compiler finds a list that lacks a member, at any position.
struct Whole {
  std::string first;
  std::array<uint32_t, 3> second = {};
  std::optional<double> third;
  bool fourth = false;
  KERNLOOP_FIELDS(first, second, third, fourth)
};
struct LacksTheLast {
  std::string first;
  std::array<uint32_t, 3> second = {};
  std::optional<double> third;
  bool fourth = false;
  KERNLOOP_FIELDS(first, second, third)
};
struct LacksTheMiddle {
  uint32_t first = 0;
  LaunchGeometry second;
  std::vector<ByteRange> third;
  KERNLOOP_FIELDS(first, at_most<1>(third))
};
static_assert(kListsAll<Whole> && !kListsAll<LacksTheLast> && !kListsAll<LacksTheMiddle>);
static_assert(kListsAll<Welcome> && kListsAll<BeginMessage> && kListsAll<ProfileMessage> && kListsAll<LaunchGeometry>);

}  // namespace
}  // namespace kernloop::capture
