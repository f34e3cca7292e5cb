#include "codeobject/cubin_attributes.h"

#include <cstring>

#include "base/malformed.h"

namespace kernloop::codeobject::cubin {

namespace {

enum Format : uint8_t { kNoValue = 1, kByte = 2, kHalf = 3, kSized = 4 };

}  // namespace

uint32_t AttributeRecord::word(size_t index) const {
  if (index >= words.size())
    throw Malformed{"attribute " + std::to_string(static_cast<int>(attribute)) + " of its .nv.info is too short"};
  return words[index];
}

std::vector<AttributeRecord> read_attributes(Bytes section, const std::string& name) {
  std::vector<AttributeRecord> records;
  for (size_t at = 0; at < section.size();) {
    if (section.size() - at < 4) throw Malformed{name + " ends within an attribute"};
    AttributeRecord record{static_cast<Attribute>(section[at + 1]), 0, {}};
    const auto half = static_cast<uint16_t>(section[at + 2] | section[at + 3] << 8);
    const uint8_t format = section[at];
    at += 4;
    switch (format) {
      case kNoValue:
        break;
      case kByte:
        record.value = half & 0xff;
        break;
      case kHalf:
        record.value = half;
        break;
      case kSized:
        if (half > section.size() - at) throw Malformed{name + " ends within an attribute"};
        record.words.resize(half / 4);
        if (half >= 4) std::memcpy(record.words.data(), section.data() + at, half / 4 * 4);
        at += half;
        break;
      default:
        throw Malformed{name + " has an attribute of an unknown format"};
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace kernloop::codeobject::cubin
