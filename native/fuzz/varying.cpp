// selfcheck.json: the ranges of a capture whose values differ from launch to launch.
#include "verdict/varying.h"

#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

std::vector<replay::Target> regions() {
  replay::Target region, variable;
  region.name = "r0", region.size = 64;
  variable.name = "sum", variable.is_variable = true, variable.size = 8;
  return {region, variable};
}

Input text(const std::string& json) {
  return Input(json.begin(), json.end());
}

const Registration kVarying(
    {"varying",
     [](Bytes bytes) {
       static const ScratchFolder folder;
       const auto ranges = replay::read_varying(folder.write("selfcheck.json", bytes), regions());
       if (!ranges) return;
       for (const replay::VaryingRange& range : *ranges) {
         const uint64_t size = range.is_variable ? 8 : 64;
         require(range.offset <= size && range.bytes() <= size - range.offset, "ranges lie in what they name");
         const replay::NumberIntervals* numbers = range.intervals();
         require(!numbers || numbers->passing.empty() || numbers->passing.size() == numbers->seen.size(),
                 "every element has bounds that pass, or none has");
       }
     },
     [] {
       return std::vector{
           text(R"({"varying":[{"region":"r0","offset":8,"dtype":"f32","count":2,"min":[1.5,-2],"max":[2.5,0]}]})"),
           text(R"({"varying":[{"variable":"sum","offset":0,"dtype":"i64","count":1,"min":["-5"],"max":[7]}]})"),
           text(R"({"varying":[{"region":"r0","offset":8,"dtype":"u32","count":6,"min":[],"max":[],"permuted":true,
             "records":[{"bytes":8,"offset":8,"count":3,"order":0,"certain":true}],
             "indexes":{"variable":"sum","offset":0,"bytes":4,"count":2,"index_offset":8,"index_bytes":4,"index_count":6}}]})"),
           text(R"({"varying":[{"region":"r0","offset":0,"dtype":"bf16","count":1,"min":[0],"max":[1e30]}]})")};
     }});

}  // namespace
}  // namespace kernloop::fuzz
