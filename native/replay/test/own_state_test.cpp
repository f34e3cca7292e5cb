#include "replay/core/launch/own_state.h"

#include <gtest/gtest.h>

#include "replay/test/fake_device.h"

namespace kernloop::replay {
namespace {

codeobject::Variable variable(const char* name, uint64_t address, uint64_t size) {
  codeobject::Variable made;
  made.name = name;
  made.address = address;
  made.size = size;
  made.writable = true;
  return made;
}

// 0x40 bytes of the loader's, 0x100 of data, of which `count` and `own` have names.
codeobject::CodeObjectInfo variant() {
  codeobject::CodeObjectInfo info;
  info.memory_bytes = 0x1000;
  info.writable = {{0x100, 0x40, true, 0x80, 0xc0}, {0x140, 0x100, false, 0x140, 0x180}};
  info.variables = {variable("count", 0x180, 8), variable("own", 0x190, 16)};
  return info;
}

codeobject::CodeObjectInfo captured() {
  codeobject::CodeObjectInfo info;
  info.variables = {variable("count", 0x180, 8)};
  return info;
}

class OwnStateTest : public testing::Test {
 protected:
  LoadedCode load() { return *device_.load({}, codeobject::CodeObjectInfo{{}, "", 0x1000, {}, {}, {}}, std::nullopt); }
  OwnState find(const LoadedCode& code) {
    auto state = find_own_state(variant(), captured(), code, {{code.id + 0x180, 8}}, device_);
    EXPECT_TRUE(state) << state.error().message;
    return std::move(*state);
  }
  FakeDevice device_{[](FakeDevice&, const Launch&) {}};
};

TEST_F(OwnStateTest, IsAllThatIsWritableInTheImageButWhatWasCaptured) {
  const LoadedCode code = load();
  *device_.at(code.id + 0x142) = 7;
  const OwnState state = find(code);
  EXPECT_EQ(state.names, std::vector<std::string>{"own"});
  EXPECT_TRUE(state.out_of_reach.empty());
  // Also bytes that only the loader should write, bytes without symbols, and all other bytes of these pages.
  for (const uint64_t at : {0x80, 0x100, 0x142, 0x17f, 0x188, 0x190, 0x23f, 0x2bf}) *device_.at(code.id + at) ^= 0xff;
  for (const uint64_t beside : {0x7f, 0x180, 0x187, 0x2c0}) *device_.at(code.id + beside) = 0x55;
  const auto left = read_own_state(state, device_);
  ASSERT_TRUE(left);
  EXPECT_EQ(changed_bytes(state, *left), 8u);
  ASSERT_TRUE(restore_own_state(
      state, [](const AddressRange&) { return false; }, device_));
  EXPECT_EQ(changed_bytes(state, *read_own_state(state, device_)), 0u);
  EXPECT_EQ(*device_.at(code.id + 0x142), 7);
  for (const uint64_t beside : {0x7f, 0x180, 0x187, 0x2c0}) EXPECT_EQ(*device_.at(code.id + beside), 0x55) << beside;
  ASSERT_TRUE(write_own_state(state, *left, device_));
  EXPECT_EQ(changed_bytes(state, *read_own_state(state, device_)), 8u);
}

TEST_F(OwnStateTest, PutsTheHeapOfTheDeviceBackButLooksAtNothingOfIt) {
  codeobject::CodeObjectInfo info = variant();
  info.variables.push_back(variable("__unnamed_1", 0x1b0, 32));
  info.variables.back().is_device_heap = true;
  const LoadedCode code = load();
  *device_.at(code.id + 0x1b4) = 1;
  const auto state = find_own_state(info, captured(), code, {{code.id + 0x180, 8}}, device_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->names, std::vector<std::string>{"own"});
  EXPECT_EQ(state->out_of_reach, std::vector<std::string>{"the heap of new and malloc on the device"});
  const auto loaded = state->digests_of(*read_own_state(*state, device_));
  *device_.at(code.id + 0x1b4) = 2;
  const auto left = read_own_state(*state, device_);
  EXPECT_EQ(changed_bytes(*state, *left), 0u);
  EXPECT_EQ(state->digests_of(*left), loaded);
  // Memory beside it counts.
  for (const uint64_t at : {0x1af, 0x1d0}) {
    *device_.at(code.id + at) = 9;
    const auto beside = read_own_state(*state, device_);
    EXPECT_NE(state->digests_of(*beside), loaded) << at;
    EXPECT_GT(changed_bytes(*state, *beside), 0u) << at;
  }
  ASSERT_TRUE(restore_own_state(
      *state, [](const AddressRange&) { return false; }, device_));
  EXPECT_EQ(*device_.at(code.id + 0x1b4), 1);
}

TEST_F(OwnStateTest, NamesWhatIsOutOfReachWhereSymbolsHavePlacesOfTheirOwn) {
  device_.symbols_have_places = true;
  const LoadedCode code = load();
  const OwnState state = find(code);
  ASSERT_EQ(state.pieces.size(), 1u);
  EXPECT_EQ(state.pieces[0].range, (AddressRange{code.id + 0x190, 16}));
  EXPECT_EQ(state.out_of_reach, std::vector<std::string>{"232 bytes that no symbol names"});
  EXPECT_EQ(state_facts(state, 0, 8)["launches"], 8) << "told, changed or not";
  EXPECT_TRUE(state_facts(OwnState{}, 0, 1).is_null());
}

}  // namespace
}  // namespace kernloop::replay
