// Which definition each way of a call and of a look-up reaches: with a shim in front of the toy, which adds 1000, with
// two (the second adds 100000), and without any.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace kernloop::interpose {
namespace {

const std::string kFolder = KERNLOOP_TEST_FOLDER;

std::string run(const std::string& app, const std::string& shims, const std::string& way) {
  const std::string command = "cd '" + kFolder + "' && LD_LIBRARY_PATH='" + kFolder + "' LD_PRELOAD='" + shims +
                              "' ./app_" + app + " '" + way + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string said;
  char text[4096];
  while (const size_t count = std::fread(text, 1, sizeof text, pipe)) said.append(text, count);
  const int status = ::pclose(pipe);
  if (status != 0) said += "status " + std::to_string(status);
  return said;
}

struct WayCase {
  const char* app;
  const char* way;
  const char* without;
  const char* with_one;
  const char* with_two;  // the first of them in front
};

class Way : public ::testing::TestWithParam<WayCase> {};

TEST_P(Way, ReachesTheGatesOfTheFunctionsThatHaveRows) {
  const WayCase& way = GetParam();
  EXPECT_EQ(run(way.app, "", way.way), way.without);
  EXPECT_EQ(run(way.app, "libshim_1000.so", way.way), way.with_one);
  EXPECT_EQ(run(way.app, "libshim_1000.so libshim_100000.so", way.way), way.with_two);
  EXPECT_EQ(run(way.app, "libshim_100000.so libshim_1000.so", way.way), way.with_two);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Way,
    ::testing::Values(WayCase{"linked", "direct", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "kept", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "before main", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "default", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "default version", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "program", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "next", "6\n", "1006\n", "101006\n"},
                      // The tool is behind the shims, and in front of the toy.
                      WayCase{"linked", "next of a tool", "6\n", "6\n", "6\n"},
                      WayCase{"linked", "handle", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "handle of a tool", "6\n", "1006\n", "101006\n"},
                      WayCase{"linked", "weigh", "4900\n", "4900\n", "4900\n"},
                      // Without the library there is no function, whatever is preloaded, and dlerror says so.
                      WayCase{"alone", "direct", "none silent\n", "-1\n", "-1\n"},
                      WayCase{"alone", "default", "none error\n", "none error\n", "none error\n"},
                      WayCase{"alone", "next", "none error\n", "-1\n", "-1\n"},
                      WayCase{"alone", "after default", "none error\n6\n", "none error\n1006\n",
                              "none error\n101006\n"},
                      WayCase{"alone", "handle", "6\n", "1006\n", "101006\n"},
                      WayCase{"alone", "handle of a tool", "6\n", "1006\n", "101006\n"},
                      WayCase{"alone", "version", "6\n", "1006\n", "101006\n"},
                      // A function of another signature, which is not that of the row, and is not taken for it later.
                      WayCase{"alone", "old version", "7003\n6\n", "7003\n1006\n", "7003\n101006\n"},
                      WayCase{"alone", "no version", "none error\n", "none error\n", "none error\n"},
                      WayCase{"alone", "no name", "none error\n", "none error\n", "none error\n"},
                      WayCase{"alone", "proc address", "6\n", "1006\n", "101006\n"},
                      WayCase{"alone", "proc address of old", "7003\n6\n", "7003\n1006\n", "7003\n101006\n"},
                      WayCase{"alone", "proc address of sum", "50010 10\n", "50010 1010\n", "50010 101010\n"},
                      // Handles of one copy mean nothing to the other: the first that is asked for has the gate.
                      WayCase{"alone", "second copy", "6\n6\n", "1006\n6\n", "101006\n6\n"},
                      WayCase{"alone", "only the second copy", "6\n", "1006\n", "101006\n"}),
    [](const auto& info) {
      std::string name = std::string(info.param.app) + " " + info.param.way;
      for (char& letter : name)
        if (letter == ' ') letter = '_';
      return name;
    });

// A tool that defines the function and answers no look-ups: a gate calls it, whether the app called or asked for it.
TEST(Shim, IsInFrontOfAToolThatAnswersNoLookUps) {
  EXPECT_EQ(run("linked", "libother_tool.so", "direct"), "2000006\n");
  EXPECT_EQ(run("linked", "libother_tool.so", "handle"), "6\n");
  EXPECT_EQ(run("linked", "libshim_1000.so libother_tool.so", "direct"), "2001006\n");
  EXPECT_EQ(run("linked", "libshim_1000.so libother_tool.so", "handle"), "2001006\n");
  EXPECT_EQ(run("alone", "libshim_1000.so libother_tool.so", "handle"), "2001006\n");
}

TEST(Shim, AsksForTheOriginals) {
  EXPECT_EQ(run("alone", "libshim_1000.so", "shim"), "6\n");
  EXPECT_EQ(run("linked", "libshim_1000.so libshim_100000.so", "shim"), "6\n");
}

TEST(Shim, KeepsTheLibraryThatItIsInFrontOfAndNoOther) {
  EXPECT_EQ(run("alone", "libshim_1000.so", "closed"), "1006\n");
}

TEST(PassingGate, ReturnsTheResultThatIsPutInPlace) {
  EXPECT_EQ(run("linked", "libshim_1000.so", "result"), "77\n4900\n");
}

TEST(PassingGate, ReturnsTheResultForAbsentFunctionsWithoutTheLibrary) {
  EXPECT_EQ(run("alone", "libshim_1000.so", "weigh"), "-2\n");
}

TEST(PassingGate, IsUsedOnceItCalled) {
  EXPECT_EQ(run("linked", "libshim_1000.so", "used"), "0 4900\n1\n");
  EXPECT_EQ(run("alone", "libshim_1000.so", "used"), "0 -2\n0\n");
}

}  // namespace
}  // namespace kernloop::interpose
