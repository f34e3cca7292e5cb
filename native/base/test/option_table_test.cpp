#include "base/option_table.h"

#include <gtest/gtest.h>

#include "base/numbers.h"

namespace kernloop {
namespace {

using Words = std::vector<std::string>;

struct Given {
  std::filesystem::path capture, output;
  std::vector<std::filesystem::path> stores;
  std::optional<unsigned> count;
  bool compare = false;
  int color = 0;
  Words operands;

  OptionTable table() {
    return OptionTable("demo", {{"--capture", "DIR", into(capture), {.is_required = true}},
                                {"--store", "DIR", append_to(stores), {.is_repeated = true}},
                                {"--count", "N", parsed(number_of<unsigned>, count), {.expected = "a whole number"}},
                                {"--color", "red|blue", chosen<int>({{"red", 1}, {"blue", 2}}, color)},
                                {"--output-file", "FILE", into(output), {.with = "--compare", .is_required = true}},
                                {"--compare", "", set(compare)}});
  }
  // The message of the error; empty: there is none.
  std::string parse(const Words& words, bool has_operands = false) {
    const auto given = table().parse(words, has_operands ? &operands : nullptr);
    if (!given) return given.error().message;
    const auto missing = table().missing(*given);
    return missing ? missing->message : "";
  }
};

TEST(OptionTable, HandsEveryValueToItsOption) {
  Given given;
  EXPECT_EQ(given.parse({"--store", "a", "--capture", "c", "--store", "--compare", "--color", "blue", "--count", "7",
                         "--compare", "--output-file", "o"}),
            "");
  EXPECT_EQ(given.capture, "c");
  EXPECT_EQ(given.stores, (std::vector<std::filesystem::path>{"a", "--compare"})) << "a value may look like an option";
  EXPECT_EQ(given.count, 7u);
  EXPECT_EQ(given.color, 2);
  EXPECT_TRUE(given.compare);
  EXPECT_EQ(given.output, "o");
}

TEST(OptionTable, SaysWhichWordIsWrong) {
  EXPECT_EQ(Given().parse({"--capture", "c", "--stores", "x"}), "unknown option --stores");
  EXPECT_EQ(Given().parse({"--cap", "c"}), "unknown option --cap") << "no abbreviations: scripts would break later";
  EXPECT_EQ(Given().parse({"--capture=c"}), "unknown option --capture=c");
  EXPECT_EQ(Given().parse({"-c"}), "unknown option -c");
  EXPECT_EQ(Given().parse({"word"}), "unknown option word");
  EXPECT_EQ(Given().parse({"--capture"}), "--capture needs a value");
  EXPECT_EQ(Given().parse({"--capture", ""}), "--capture does not take \"\"");
  EXPECT_EQ(Given().parse({"--store", ""}), "--store does not take \"\"");
  EXPECT_EQ(Given().parse({"--color", "green"}), "--color does not take \"green\"");
  EXPECT_EQ(Given().parse({"--count", "7x"}), "--count does not take \"7x\": it takes a whole number");
}

TEST(OptionTable, MissesWhatIsRequired) {
  EXPECT_EQ(Given().parse({}), "--capture is missing");
  EXPECT_EQ(Given().parse({"--capture", "c"}), "") << "--output-file is an addition to --compare";
  EXPECT_EQ(Given().parse({"--capture", "c", "--compare"}), "--output-file is missing");
}

TEST(OptionTable, KeepsOperandsOnlyForAProgramThatTakesSome) {
  Given given;
  EXPECT_EQ(given.parse({"first", "--capture", "c", "second"}, true), "");
  EXPECT_EQ(given.operands, (Words{"first", "second"}));
  EXPECT_EQ(given.parse({"first", "--second"}, true), "unknown option --second");
}

TEST(OptionTable, SaysItsUsage) {
  EXPECT_EQ(Given().table().wrong("x").hint,
            "demo --capture DIR [--store DIR]… [--count N] [--color red|blue] [--compare --output-file FILE]");
  EXPECT_EQ(OptionTable("run", {}, "-- PROGRAM").usage(), "run -- PROGRAM");
  EXPECT_EQ(Given().table().wrong("x").code, "USAGE");
  EXPECT_EQ(Given().table().wrong("x").message, "x");
}

}  // namespace
}  // namespace kernloop
