#include "pgo/format/device_image.h"

#include <algorithm>

#include "pgo/format/raw.h"

namespace kernloop::pgo {

namespace {

constexpr uint64_t kDescriptionMagic = 0x4652504c4e52454b;  // "KERNLPRF"
constexpr uint32_t kDescriptionVersion = 1;
constexpr uint32_t kDescriptionHeader = 104;
constexpr size_t kArchAt = 64, kArchBytes = 40;
constexpr uint32_t kAllUniform = 0xffffffff;
constexpr uint32_t kMaxSlots = 1u << 16;

struct Description {
  uint32_t slots, functions, counters, uniform_rows, classes;
  UnitProfile unit;  // its parts without counters
  struct Function {
    uint64_t name_ref, hash;
    uint32_t first_counter, counters, first_class, classes;
  };
  struct Counter {
    uint32_t in_class, uniform_row;
  };
  struct Class {
    uint32_t uniform_row, counter;
  };
  std::vector<Function> function;
  std::vector<Counter> counter;
  std::vector<Class> of_class;
};

Description read_description(Bytes bytes) {
  constexpr const char* kWhat = "the description of the counters";
  Description d{};
  Cursor cursor(bytes);
  const auto word = [&] { return cursor.take<uint32_t>(kWhat); };
  if (cursor.take<uint64_t>(kWhat) != kDescriptionMagic)
    throw Malformed{"PGO_PROFILE_MAGIC", std::string(kWhat) + " does not begin as it should"};
  if (const uint32_t version = word(); version != kDescriptionVersion) {
    throw Malformed{"PGO_PROFILE_VERSION",
                    std::string(kWhat) + " is of version " + std::to_string(version) + ", and version 1 is read"};
  }
  const uint32_t header = word();
  if (header < kDescriptionHeader) malformed(std::string(kWhat) + " is too short");
  WaveFile& waves = d.unit.waves;
  waves.wave_size = word();
  d.slots = d.unit.slots = word();
  const uint32_t sampling = word();
  waves.sampling.period = word();
  const uint32_t rule = word();
  d.functions = word(), d.counters = word(), d.uniform_rows = word(), d.classes = word();
  word();
  d.unit.raw_version = cursor.take<uint64_t>(kWhat);
  if (waves.wave_size != 32 && waves.wave_size != 64) malformed("waves have neither 32 nor 64 lanes");
  if (d.slots == 0 || d.slots > kMaxSlots) malformed("a counter has an impossible number of slots");
  if (sampling > 3 || rule > 1 || waves.sampling.period == 0) malformed("it was sampled in an unknown way");
  if ((d.unit.raw_version & 0xffffffff) != kRawVersion) malformed("it is not of raw version 10");
  waves.sampling.kind = static_cast<Sampling::Kind>(sampling);
  waves.uniform_rule = static_cast<UniformRule>(rule);
  for (const uint8_t c : slice(bytes, kArchAt, kArchBytes, kWhat)) {
    if (c == 0) break;
    if (c <= ' ' || c >= 0x7f) malformed("the name of the architecture is not one");
    waves.arch.push_back(static_cast<char>(c));
  }
  if (!triple_of(waves.arch)) malformed("'" + waves.arch + "' is neither an AMD nor an NVIDIA architecture");
  const uint64_t arrays = uint64_t{d.functions} * 40 + uint64_t{d.counters} * 8 + uint64_t{d.classes} * 8;
  slice(bytes, header, arrays, kWhat);
  Cursor array(bytes, header);
  const auto item = [&] { return array.take<uint32_t>(kWhat); };
  for (uint32_t i = 0; i < d.functions; ++i) {
    Description::Function f{};
    f.name_ref = array.take<uint64_t>(kWhat), f.hash = array.take<uint64_t>(kWhat);
    f.first_counter = item(), f.counters = item(), f.first_class = item(), f.classes = item();
    item(), item();
    if (f.counters == 0 || f.first_counter > d.counters || f.counters > d.counters - f.first_counter ||
        f.first_class > d.classes || f.classes > d.classes - f.first_class) {
      malformed("function " + std::to_string(i) + " has counters or classes that do not exist");
    }
    d.function.push_back(f);
  }
  const auto row = [&] {
    const uint32_t at = item();
    if (at != kAllUniform && at >= d.uniform_rows) malformed("a uniform counter does not exist");
    return at;
  };
  for (uint32_t i = 0; i < d.counters; ++i) {
    const uint32_t in_class = item();
    d.counter.push_back({in_class, row()});
  }
  for (uint32_t i = 0; i < d.classes; ++i) {
    const uint32_t uniform_row = row();
    d.of_class.push_back({uniform_row, item()});
  }
  return d;
}

// One sum a row of `slots` values.
std::vector<uint64_t> sum_rows(Bytes bytes, uint32_t rows, uint32_t slots, const char* what, uint64_t& saturated) {
  const uint64_t needed = uint64_t{rows} * slots * 8;
  if (bytes.size() < needed) truncated(what, needed, bytes.size());
  if (bytes.size() > needed)
    malformed(std::string(what) + " has " + std::to_string(bytes.size()) + " bytes, not " + std::to_string(needed));
  std::vector<uint64_t> sums(rows);
  for (uint64_t i = 0; i < uint64_t{rows} * slots; ++i) {
    uint64_t& sum = sums[i / slots];
    const auto value = load<uint64_t>(bytes, i * 8, what);
    if (sum != UINT64_MAX && value > UINT64_MAX - sum) ++saturated;
    sum = saturating_add(sum, value);
  }
  return sums;
}

// Facts that the compiler wrote twice must agree.
void check_records(const Description& d, Bytes data) {
  if (data.size() != uint64_t{d.functions} * kRawRecordBytes) {
    if (data.size() < uint64_t{d.functions} * kRawRecordBytes)
      truncated("the list of records", uint64_t{d.functions} * kRawRecordBytes, data.size());
    malformed("there are other numbers of records than of functions");
  }
  for (uint32_t i = 0; i < d.functions; ++i) {
    const Bytes record = data.subspan(size_t{i} * kRawRecordBytes, kRawRecordBytes);
    const Description::Function& f = d.function[i];
    const uint64_t offset = load<uint64_t>(record, 16, "a record") + uint64_t{i} * kRawRecordBytes;
    if (load<uint64_t>(record, 0, "a record") != f.name_ref || load<uint64_t>(record, 8, "a record") != f.hash ||
        load<uint32_t>(record, 48, "a record") != f.counters || offset != uint64_t{f.first_counter} * d.slots * 8) {
      malformed("record " + std::to_string(i) + " and the description contradict each other");
    }
  }
}

UnitProfile make_unit(const DeviceImage& image) {
  Description d = read_description(image.description);
  check_records(d, image.data);
  UnitProfile unit = std::move(d.unit);
  unit.waves.cuid = image.cuid;
  unit.names = image.names;
  const auto counters = sum_rows(image.counters, d.counters, d.slots, "the list of counters", unit.saturated);
  const auto uniform = sum_rows(image.uniform, d.uniform_rows, d.slots, "the list of uniform counters", unit.saturated);
  const auto waves = sum_rows(image.waves, d.classes, d.slots, "the list of visits of waves", unit.saturated);
  for (const Description::Function& f : d.function) {
    unit.records.push_back({f.name_ref, f.hash, f.counters});
    WaveFunction function{f.name_ref, f.hash, {}, {}};
    for (uint32_t i = f.first_counter; i < f.first_counter + f.counters; ++i) {
      const Description::Counter& c = d.counter[i];
      if (c.in_class >= f.classes) malformed("a counter belongs to a class that does not exist");
      unit.counters.push_back(counters[i]);
      unit.uniform.push_back(c.uniform_row == kAllUniform ? counters[i] : uniform[c.uniform_row]);
      function.counter_class.push_back(c.in_class);
    }
    for (uint32_t i = f.first_class; i < f.first_class + f.classes; ++i) {
      const Description::Class& c = d.of_class[i];
      if (c.counter != kNoCounter && c.counter >= f.counters) malformed("a class has a counter that does not exist");
      WaveClass one{waves[i], 0, c.uniform_row == kAllUniform, c.counter};
      if (!one.static_uniform)
        one.uniform_lanes = uniform[c.uniform_row];
      else if (c.counter != kNoCounter)
        one.uniform_lanes = counters[f.first_counter + c.counter];
      function.classes.push_back(one);
    }
    unit.waves.functions.push_back(std::move(function));
  }
  return unit;
}

void add_to(uint64_t& sum, uint64_t value, uint64_t& saturated) {
  if (sum != UINT64_MAX && value > UINT64_MAX - sum) ++saturated;
  sum = saturating_add(sum, value);
}

bool same_shape(const UnitProfile& a, const UnitProfile& b) {
  if (a.stock != b.stock || a.raw_version != b.raw_version || a.records != b.records || a.names != b.names ||
      a.waves.arch != b.waves.arch || a.waves.sampling != b.waves.sampling ||
      a.waves.uniform_rule != b.waves.uniform_rule || a.waves.wave_size != b.waves.wave_size) {
    return false;
  }
  if (a.waves.functions.size() != b.waves.functions.size()) return false;
  for (size_t i = 0; i < a.waves.functions.size(); ++i) {
    if (a.waves.functions[i].classes.size() != b.waves.functions[i].classes.size()) return false;
    if (a.waves.functions[i].counter_class != b.waves.functions[i].counter_class) return false;
  }
  return true;
}

}  // namespace

std::span<const ImagePart> image_parts() {
  static constexpr ImagePart kParts[] = {
      {"__kernloop_prf_", &DeviceImage::description}, {"__profc_all_", &DeviceImage::counters},
      {"__profd_all_", &DeviceImage::data},           {"__llvm_prf_names_", &DeviceImage::names},
      {"__profu_all_", &DeviceImage::uniform},        {"__profw_all_", &DeviceImage::waves}};
  return kParts;
}

Result<UnitProfile> read_device_image(const DeviceImage& image) {
  try {
    return make_unit(image);
  } catch (const Malformed& problem) {
    return Error{problem.code, "the counters of translation unit " + image.cuid + ": " + problem.why,
                 "build the program and this collector with the same version of Kernloop"};
  }
}

namespace {

// Every number of two units of one shape.
template <typename Change>
void each(UnitProfile& into, const UnitProfile& other, Change change) {
  for (size_t i = 0; i < into.counters.size(); ++i) change(into.counters[i], other.counters[i]);
  for (size_t i = 0; i < into.uniform.size(); ++i) change(into.uniform[i], other.uniform[i]);
  for (size_t f = 0; f < into.waves.functions.size(); ++f) {
    auto& classes = into.waves.functions[f].classes;
    for (size_t i = 0; i < classes.size(); ++i) {
      change(classes[i].waves, other.waves.functions[f].classes[i].waves);
      change(classes[i].uniform_lanes, other.waves.functions[f].classes[i].uniform_lanes);
    }
  }
}

}  // namespace

bool add(UnitProfile& into, const UnitProfile& other) {
  if (!same_shape(into, other)) return false;
  each(into, other, [&](uint64_t& sum, uint64_t value) { add_to(sum, value, into.saturated); });
  into.saturated += other.saturated;
  return true;
}

void subtract(UnitProfile& from, const UnitProfile& part) {
  each(from, part, [](uint64_t& sum, uint64_t value) { sum -= std::min(sum, value); });
}

bool add_written(UnitProfile& into, Bytes raw, Bytes uniform, Bytes waves) {
  // The file of this unit with no count, which differs from any other of it in its counters alone.
  UnitProfile there = into;
  each(there, there, [](uint64_t& sum, uint64_t) { sum = 0; });
  const Buffer empty = write_raw(there);
  if (raw.size() != empty.size()) return false;
  const size_t first = kRawHeaderBytes + there.records.size() * kRawRecordBytes,
               end = first + there.counters.size() * 8;
  if (!std::equal(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(first), empty.begin())) return false;
  if (!std::equal(raw.begin() + static_cast<std::ptrdiff_t>(end), raw.end(),
                  empty.begin() + static_cast<std::ptrdiff_t>(end)))
    return false;
  for (size_t i = 0; i < there.counters.size(); ++i)
    there.counters[i] = load<uint64_t>(raw, first + i * 8, "a counter");
  if (!there.stock) {
    const auto lanes = read_uniform_counters(uniform, "");
    const auto visits = read_waves(waves, "");
    if (!lanes || !visits || lanes->size() != there.uniform.size()) return false;
    there.uniform = *lanes;
    there.waves = *visits;
  }
  return add(into, there);
}

uint64_t signature_of(const UnitProfile& unit) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto mix = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> (8 * i) & 0xff)) * 0x100000001b3;
  };
  mix(unit.raw_version);
  for (const UnitProfile::Record& record : unit.records) mix(record.name_ref), mix(record.hash), mix(record.counters);
  for (const char c : unit.waves.arch) mix(static_cast<uint64_t>(c));
  mix(unit.waves.wave_size), mix(static_cast<uint64_t>(unit.waves.sampling.kind)), mix(unit.waves.sampling.period);
  mix(static_cast<uint64_t>(unit.waves.uniform_rule));
  return hash;
}

Buffer write_raw(const UnitProfile& unit) {
  const uint64_t records = unit.records.size(), data_bytes = records * kRawRecordBytes;
  Buffer file;
  const uint64_t header[16] = {kRawMagic,  unit.raw_version,
                               0,          records,
                               0,          unit.counters.size(),
                               0,          0,
                               0,          unit.names.size(),
                               data_bytes, 0,
                               0,          0,
                               0,          2};
  for (const uint64_t word : header) append(file, word);
  uint64_t first = 0;
  for (uint64_t i = 0; i < records; ++i) {
    const UnitProfile::Record& record = unit.records[i];
    append(file, record.name_ref);
    append(file, record.hash);
    // Offset from this record to its first counter, as if the file were memory.
    append(file, data_bytes + first * 8 - i * kRawRecordBytes);
    for (int unused = 0; unused < 3; ++unused) append(file, uint64_t{0});
    append(file, record.counters);
    for (int unused = 0; unused < 3; ++unused) append(file, uint32_t{0});
    first += record.counters;
  }
  for (const uint64_t counter : unit.counters) append(file, counter);
  append(file, Bytes(unit.names));
  pad_to_8(file);
  return file;
}

const char* triple_of(const std::string& arch) {
  if (arch.starts_with("gfx")) return "amdgcn-amd-amdhsa";
  if (arch.starts_with("sm_")) return "nvptx64-nvidia-cuda";
  return nullptr;
}

}  // namespace kernloop::pgo
