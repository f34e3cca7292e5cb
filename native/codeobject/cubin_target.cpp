#include "codeobject/cubin_target.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/malformed.h"

namespace kernloop::codeobject::cubin {

namespace {

constexpr std::array kArchitectures = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                       87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
constexpr std::array kTegra = {53, 62, 72, 87, 88, 101, 110};

// LLVM's ELFOSABI_CUDA, ELFABIVERSION_CUDA_V1 and their successors.
constexpr uint8_t kOsAbi = 0x33, kAbiVersion = 7;
constexpr uint8_t kOsAbi2 = 0x41, kAbiVersion2 = 8;
constexpr uint32_t kAccelerator = 0x800, kAccelerator2 = 0x8;

// CUDA 13.0 leaves kAccelerator2 clear and says it here: a value of 1 for sm_90a, of 0 for sm_90 and sm_100f.
constexpr uint8_t kByteValue = 2, kHalfValue = 3, kSizedValue = 4;
constexpr uint8_t kCompatIsaClass = 9;

bool is_specific_by_compat(const elf::Image& image) {
  const elf::Section* section = image.section(".nv.compat");
  if (!section) return false;
  const Bytes bytes = section->bytes;
  for (size_t at = 0; at + 4 <= bytes.size();) {
    const uint8_t format = bytes[at], attribute = bytes[at + 1];
    const size_t value = bytes[at + 2] | size_t{bytes[at + 3]} << 8;
    if (format == kByteValue && attribute == kCompatIsaClass) return (value & 0xff) == 1;
    if (format == 0 || format > kSizedValue) throw Malformed{"its .nv.compat section has an unknown format"};
    at += 4 + (format == kSizedValue ? value : 0);
  }
  return false;
}

template <size_t N>
bool contains(const std::array<int, N>& list, uint32_t value) {
  return std::find(list.begin(), list.end(), static_cast<int>(value)) != list.end();
}

Target parse_name(std::string_view name) {
  Target target;
  if (!name.starts_with("sm_")) return target;
  const auto end = std::from_chars(name.data() + 3, name.data() + name.size(), target.architecture).ptr;
  target.specific = end != name.data() + name.size() && *end == 'a';
  return target;
}

}  // namespace

std::string Target::name() const {
  return "sm_" + std::to_string(architecture) + (specific ? "a" : "");
}

Target read_target(const elf::Image& image) {
  Target target;
  if (image.os_abi() == kOsAbi && image.abi_version() == kAbiVersion) {
    target.architecture = image.flags() & 0xff;
    target.specific = (image.flags() & kAccelerator) != 0;
  } else if (image.os_abi() == kOsAbi2 && image.abi_version() == kAbiVersion2) {
    target.architecture = image.flags() >> 8 & 0xff;
    target.specific = (image.flags() & kAccelerator2) != 0 || is_specific_by_compat(image);
  } else {
    throw Malformed{"it is a cubin of an unknown kind (OS ABI " + std::to_string(image.os_abi()) + ", version " +
                    std::to_string(image.abi_version()) + ")"};
  }
  if (!contains(kArchitectures, target.architecture))
    throw Malformed{"it is for an unknown architecture, " + std::to_string(target.architecture)};
  return target;
}

bool target_fits(std::string_view built_name, std::string_view device_name) {
  const Target built = parse_name(built_name), device = parse_name(device_name);
  if (built.architecture == 0 || device.architecture == 0) return false;
  if (built.architecture == device.architecture) return true;
  const bool alone = built.specific || contains(kTegra, built.architecture) || contains(kTegra, device.architecture);
  return !alone && built.architecture / 10 == device.architecture / 10 && built.architecture < device.architecture;
}

}  // namespace kernloop::codeobject::cubin
