// The variables of a unit with two functions, built from the layout in ../../pass/README.md: 4 slots a counter.
#pragma once

#include "pgo/format/device_image.h"
#include "pgo/format/test/fixtures.h"

namespace kernloop::pgo::test {

inline constexpr uint64_t kImageSlots = 4;

// Rows of `slots` values that add up to these.
inline Buffer rows(const std::vector<uint64_t>& sums) {
  Buffer bytes;
  for (const uint64_t sum : sums) {
    put(bytes, sum / 2, 8), put(bytes, 0, 8), put(bytes, sum - sum / 2, 8), put(bytes, 0, 8);
  }
  return bytes;
}

inline DeviceImage sample_image() {
  constexpr uint64_t kAll = 0xffffffff;
  DeviceImage image;
  image.cuid = "0a1b2c3d";
  Buffer& d = image.description;
  put(d, 0x4652504c4e52454b, 8), put(d, 1, 4), put(d, 104, 4), put(d, 64, 4), put(d, kImageSlots, 4);
  put(d, 1, 4), put(d, 8, 4), put(d, 0, 4);                              // blocks:8, branch
  put(d, 2, 4), put(d, 4, 4), put(d, 4, 4), put(d, 3, 4), put(d, 0, 4);  // functions, counters, uniform, classes
  put(d, 10 | uint64_t{1} << 56, 8);
  put_text(d, "gfx90a");
  d.resize(104);
  const auto function = [&](const std::string& name, uint64_t hash, uint64_t first, uint64_t count,
                            uint64_t first_class, uint64_t classes) {
    put(d, md5_ref(name), 8), put(d, hash, 8), put(d, first, 4), put(d, count, 4), put(d, first_class, 4),
        put(d, classes, 4);
    put(d, 1, 4), put(d, 0, 4);
    Buffer& r = image.data;
    const uint64_t own = r.size();
    put(r, md5_ref(name), 8), put(r, hash, 8), put(r, first * kImageSlots * 8 - own, 8), put(r, 0, 8), put(r, 0, 8),
        put(r, 0, 8), put(r, count, 4);
    put(r, 0, 8), put(r, 0, 4);
  };
  function("kern", 77, 0, 3, 0, 2);
  function("other", 88, 3, 1, 2, 1);
  for (const auto& [in_class, row] : {std::pair{0ul, kAll}, {1ul, 1ul}, {1ul, 0ul}, {0ul, 2ul}})
    put(d, in_class, 4), put(d, row, 4);
  for (const auto& [row, counter] : {std::pair{kAll, 0ul}, {1ul, 1ul}, {3ul, kAll}}) put(d, row, 4), put(d, counter, 4);
  image.counters = rows({10, 100, 1000, 7});
  image.uniform = rows({900, 50, 6, 12});
  image.waves = rows({4, 40, 8});
  put(image.names, 10, 1), put(image.names, 0, 1), put_text(image.names, "kern\x01other");
  return image;
}

}  // namespace kernloop::pgo::test
