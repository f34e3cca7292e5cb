// Profiles of device code: raw and indexed ones, their side files, and variables that were read back.
#include "fuzz/target.h"
#include "pgo/format/device_image.h"
#include "pgo/format/indexed.h"
#include "pgo/format/merge.h"
#include "pgo/format/raw.h"
#include "pgo/format/test/image.h"
#include "pgo/format/write.h"

namespace kernloop::fuzz {
namespace {

// A readable profile can be merged with itself and written.
void use(const pgo::Profile& profile) {
  pgo::Merger merger({});
  if (!merger.add(profile, 2, "input") || !merger.add(profile, 3, "input")) return;
  const pgo::Profile merged = merger.result();
  for (const pgo::FunctionProfile& function : merged.functions) {
    require(function.uniform.empty() || function.pattern.size() == function.counters.size(), "a letter a counter");
  }
  (void)pgo::write_text(merged);
  (void)pgo::write_waves_json(merged, pgo::to_text(merged.sampling));
}

const Registration kRaw({"profile_raw",
                         [](Bytes bytes) {
                           const auto profiles = pgo::read_raw(bytes, "input");
                           if (!profiles) return;
                           for (const pgo::RawProfile& raw : *profiles) {
                             for (const pgo::RawFunction& function : raw.functions)
                               require(function.first + function.counters * function.slots <= raw.values.size(),
                                       "counters lie in the list");
                             if (const auto profile = pgo::with_side_files(raw, nullptr, nullptr, "input"))
                               use(*profile);
                           }
                         },
                         [] {
                           pgo::test::RawSpec spec;
                           spec.functions = {{"alpha", 11, {1, 2}}, {"b.hip;beta", 12, {4, 5}}};
                           pgo::test::RawSpec rfc = spec;
                           rfc.record_bytes = 72, rfc.slots = 2;
                           return std::vector<Input>{pgo::test::raw_file(spec), pgo::test::raw_file(rfc)};
                         }});

const Registration kIndexed({"profile_indexed",
                             [](Bytes bytes) {
                               if (const auto profile = pgo::read_indexed(bytes, "input")) use(*profile);
                             },
                             [] {
                               return std::vector<Input>{
                                   pgo::test::indexed_file(13, "kern", 99, {5, 6, 7}, {}),
                                   pgo::test::indexed_file(14, "kern", 99, {5, 6, 7}, {true, false, true})};
                             }});

const Registration kWaves(
    {"profile_waves",
     [](Bytes bytes) {
       (void)pgo::read_uniform_counters(bytes, "input");
       const auto waves = pgo::read_waves(bytes, "input");
       if (!waves) return;
       const auto again = pgo::read_waves(pgo::write_waves(*waves), "input");
       require(again && again->functions.size() == waves->functions.size(), "what is read can be written");
     },
     [] {
       const auto unit = pgo::read_device_image(pgo::test::sample_image());
       return std::vector<Input>{pgo::write_waves(unit->waves), pgo::write_uniform_counters(unit->uniform)};
     }});

// The input is the description; the other variables come from the sample.
const Registration kImage({"profile_image",
                           [](Bytes bytes) {
                             pgo::DeviceImage image = pgo::test::sample_image();
                             image.description.assign(bytes.begin(), bytes.end());
                             auto unit = pgo::read_device_image(image);
                             if (!unit) return;
                             require(pgo::add(*unit, pgo::UnitProfile(*unit)), "a unit is of the same unit as itself");
                             (void)pgo::write_raw(*unit);
                           },
                           [] { return std::vector<Input>{pgo::test::sample_image().description}; }});

}  // namespace
}  // namespace kernloop::fuzz
