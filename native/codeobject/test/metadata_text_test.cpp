// Expected texts: JSON.stringify of Node.js 22.
#include "codeobject/metadata_text.h"

#include <gtest/gtest.h>

namespace kernloop::codeobject {
namespace {

using msgpack::Array;
using msgpack::Map;
using msgpack::Value;

Value text(std::string value) {
  return {std::move(value)};
}

Value number(uint64_t value) {
  return {value};
}

Map kernel_with(Value value) {
  return {{text(".a"), std::move(value)}, {text(".symbol"), text("k.kd")}};
}

TEST(MetadataText, HasTheFieldsOfEveryKernelFirstAndTheOthersInTheirOrder) {
  const Map argument = {{text(".name"), text("x")},
                        {text(".value_kind"), text("by_value")},
                        {text(".size"), number(4)},
                        {text(".offset"), number(8)}};
  const Map kernel = {{text(".name"), text("k")},
                      {text(".args"), {Array{{argument}}}},
                      {text(".flag"), {true}},
                      {text(".symbol"), text("k.kd")},
                      {text(".more"), {Map{{text(".b"), {}}, {text(".a"), {int64_t{-3}}}}}}};
  EXPECT_EQ(metadata_text({kernel}),
            R"({".symbol":"k.kd",".args":[{".offset":8,".size":4,".value_kind":"by_value",".name":"x"}],)"
            R"(".name":"k",".flag":true,".more":{".b":null,".a":-3}})");
}

TEST(MetadataText, GivesAKernelWithoutArgumentsAnEmptyList) {
  EXPECT_EQ(metadata_text({Map{{text(".name"), text("k")}, {text(".symbol"), text("k.kd")}}}),
            R"({".symbol":"k.kd",".args":[],".name":"k"})");
}

TEST(MetadataText, EscapesAsJavaScriptDoes) {
  EXPECT_EQ(metadata_text({kernel_with(text("\b\t\n\f\r\"\\/\x1f\x01\x7f \xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80"))}),
            "{\".symbol\":\"k.kd\",\".args\":[],\".a\":\"\\b\\t\\n\\f\\r\\\"\\\\/\\u001f\\u0001\x7f "
            "\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\"}");
}

TEST(MetadataText, IsNoneForWhatJavaScriptWouldShowOtherwise) {
  EXPECT_TRUE(metadata_text({kernel_with(number((uint64_t{1} << 53) - 1))}));
  for (const Value& value :
       {number(uint64_t{1} << 53), Value{-1.5}, text("\xff"), text("\xc3"), text("\xc0\x80"), text("\xed\xa0\x80"),
        text("\xf4\x90\x80\x80"), Value{Map{{text("7"), number(1)}}}, Value{Map{{number(7), number(1)}}},
        Value{Map{{text("a"), number(1)}, {text("a"), number(2)}}}, Value{Map{{text("__proto__"), number(1)}}}})
    EXPECT_EQ(metadata_text({kernel_with(value)}), std::nullopt);
  EXPECT_EQ(metadata_text({Map{{text(".name"), text("k")}}}), std::nullopt) << "without a symbol";
  EXPECT_EQ(metadata_text(text("k")), std::nullopt);
}

}  // namespace
}  // namespace kernloop::codeobject
