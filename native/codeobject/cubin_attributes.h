// The attributes of a cubin's .nv.info sections ("EIATTR_…"): a format byte, an attribute byte, and a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf/image.h"

namespace kernloop::codeobject::cubin {

// Values as CUDA's tools number them; only those in use here.
enum class Attribute : uint8_t {
  kMaxThreads = 0x05,
  kParamCbank = 0x0a,
  kExterns = 0x0f,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kKparamInfo = 0x17,
  kCbankParamSize = 0x19,
  kMaxRegisters = 0x1b,
  kRegisters = 0x2f,
  kCtaPerCluster = 0x3d,
  kExplicitCluster = 0x3e,
  kMaxClusterRank = 0x3f,
  kKparamInfoV2 = 0x45,
  kBarriers = 0x4c,
  kBlocksAreClusters = 0x5b,
};

struct AttributeRecord {
  Attribute attribute;
  uint16_t value = 0;           // for formats that hold a byte or a half word
  std::vector<uint32_t> words;  // for the format that holds a size and that many bytes

  // The word at an index; throws Malformed if there are fewer.
  uint32_t word(size_t index) const;
};

// `name` is the section's, for errors.
std::vector<AttributeRecord> read_attributes(Bytes section, const std::string& name);

}  // namespace kernloop::codeobject::cubin
