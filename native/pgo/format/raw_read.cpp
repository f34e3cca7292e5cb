// The layout is that of llvm/ProfileData/InstrProfData.inc; the RFC's files differ only in their records.
#include "pgo/format/names.h"
#include "pgo/format/raw.h"

namespace kernloop::pgo {

namespace {

constexpr uint64_t kVariantMask = 0xffffffff00000000;
constexpr uint64_t kVariantContext = uint64_t{1} << 57;
constexpr uint64_t kVariantEntry = uint64_t{1} << 58;
constexpr uint64_t kVariantLoopEntries = uint64_t{1} << 55;
constexpr uint64_t kKnownVariants = kVariantIr | kVariantContext | kVariantEntry | kVariantLoopEntries;
constexpr uint32_t kValueKinds = 3;

uint64_t swapped(uint64_t value) {
  return __builtin_bswap64(value);
}

struct Header {
  uint64_t version, binary_ids, records, pad_before_counters, counters, pad_after_counters, bitmap, pad_after_bitmap,
      names, counters_delta, vtables, vtable_names, value_kind_last;
};

struct Layout {
  uint64_t records, counters, names, vtables, value_data;  // offsets in the file
};

const char* variant_name(uint64_t bit) {
  switch (bit) {
    case 59:
      return "that leaves its records in the debug information (-debug-info-correlate)";
    case 60:
      return "of single-byte coverage";
    case 61:
      return "of function entries alone";
    case 62:
      return "of memory";
    case 63:
      return "with temporal traces";
    default:
      return "of a kind that LLVM 22 does not know";
  }
}

Header read_header(Bytes file) {
  Cursor cursor(file);
  const auto word = [&] { return cursor.take<uint64_t>("the header"); };
  const uint64_t magic = word();
  if (magic == swapped(kRawMagic)) {
    throw Malformed{"PGO_PROFILE_ENDIAN", "it was written by a big-endian program, and little-endian ones are read"};
  }
  if (magic == kRawMagic32 || magic == swapped(kRawMagic32)) {
    throw Malformed{"PGO_PROFILE_VERSION", "it was written by a 32-bit program, and those of 64-bit ones are read"};
  }
  if (magic != kRawMagic) throw Malformed{"PGO_PROFILE_MAGIC", "it does not begin as a raw profile does"};
  Header header{};
  header.version = word();
  const uint64_t number = header.version & ~kVariantMask;
  if (number != kRawVersion) {
    throw Malformed{"PGO_PROFILE_VERSION", "it is of raw version " + std::to_string(number) + ", and version " +
                                               std::to_string(kRawVersion) + " (LLVM 19 to 22) is read"};
  }
  for (uint64_t bit = 32; bit < 64; ++bit) {
    const uint64_t flag = uint64_t{1} << bit;
    if ((header.version & flag) && !(kKnownVariants & flag))
      throw Malformed{"PGO_PROFILE_VARIANT", std::string("it is a profile ") + variant_name(bit)};
  }
  header.binary_ids = word();
  header.records = word();
  header.pad_before_counters = word();
  header.counters = word();
  header.pad_after_counters = word();
  header.bitmap = word();
  header.pad_after_bitmap = word();
  header.names = word();
  header.counters_delta = word();
  word();  // the bitmap's delta
  word();  // the names'
  header.vtables = word();
  header.vtable_names = word();
  header.value_kind_last = word();
  if (header.value_kind_last >= kValueKinds) {
    throw Malformed{"PGO_PROFILE_VERSION", "it holds kinds of values that LLVM 22 does not know"};
  }
  if (header.bitmap != 0) throw Malformed{"PGO_PROFILE_VARIANT", "it holds bitmaps of coverage (-fcoverage-mcdc)"};
  return header;
}

Layout lay_out(Bytes file, const Header& header, size_t record_bytes) {
  constexpr uint64_t kVtableBytes = 24;
  Layout layout{};
  uint64_t at = kRawHeaderBytes;
  const auto advance = [&](uint64_t bytes, const char* what) {
    at = saturating_add(at, bytes);
    if (at > file.size()) truncated(what, at, file.size());
  };
  advance(header.binary_ids, "the list of binary ids");
  layout.records = at;
  advance(saturating_multiply(header.records, record_bytes), "the list of records");
  advance(header.pad_before_counters, "the padding before the counters");
  layout.counters = at;
  advance(saturating_multiply(header.counters, 8), "the list of counters");
  advance(header.pad_after_counters, "the padding after the counters");
  advance(header.pad_after_bitmap, "the padding after the bitmap");
  layout.names = at;
  advance(header.names, "the names");
  // A file that ends with its last name is whole, too.
  const uint64_t padded = aligned_to_8(at);
  at = std::min<uint64_t>(padded, file.size());
  layout.vtables = at;
  advance(saturating_multiply(header.vtables, kVtableBytes), "the list of virtual tables");
  advance(header.vtable_names, "the names of virtual tables");
  if (header.vtable_names) at = std::min<uint64_t>(aligned_to_8(at), file.size());
  layout.value_data = at;
  return layout;
}

// Only the RFC's records hold the number of slots of a counter: one more than this field. They are 72 bytes long, with
// the field at the end; RFC builds that put it into the padding of 64-byte records are recognised by its not being 0.
uint64_t slots_of(Bytes record, size_t record_bytes) {
  const uint64_t field = record_bytes == kRfcRecordBytes ? 64 : 58;
  return uint64_t{load<uint16_t>(record, field, "a record")} + 1;
}

// Values of one function: read past. Returns how many bytes they are.
uint64_t value_data_bytes(Bytes file, uint64_t at) {
  const uint32_t size = load<uint32_t>(file, at, "the list of values");
  if (size < 8 || size % 8 != 0) malformed("the list of values has an impossible size");
  slice(file, at, size, "the list of values");
  return size;
}

RawProfile read_with(Bytes file, const Header& header, size_t record_bytes, uint64_t& end) {
  const Layout layout = lay_out(file, header, record_bytes);
  RawProfile profile;
  profile.variant.ir = header.version & kVariantIr;
  profile.variant.entry_first = header.version & kVariantEntry;
  profile.variant.context_sensitive = header.version & kVariantContext;
  profile.variant.loop_entries = header.version & kVariantLoopEntries;
  profile.record_bytes = record_bytes;
  profile.binary_id_bytes = header.binary_ids;
  const auto names = read_names(slice(file, layout.names, header.names, "the names"));
  profile.values = Cursor(file, layout.counters).take_words(header.counters, "the list of counters");
  std::vector<uint64_t> with_values;
  for (uint64_t i = 0; i < header.records; ++i) {
    const Bytes record = slice(file, layout.records + i * record_bytes, record_bytes, "a record");
    RawFunction function;
    function.name_ref = load<uint64_t>(record, 0, "a record");
    function.hash = load<uint64_t>(record, 8, "a record");
    const auto found = names.find(function.name_ref);
    const std::string called = "function " + std::to_string(i);
    if (found == names.end()) malformed(called + " has a name that is not among the names");
    function.name = found->second;
    function.counters = load<uint32_t>(record, 48, "a record");
    function.slots = slots_of(record, record_bytes);
    if (function.counters == 0) malformed(function.name + " has no counter");
    // Pointers are relative to their own record.
    const uint64_t offset = load<uint64_t>(record, 16, "a record") + i * record_bytes - header.counters_delta;
    const uint64_t count = saturating_multiply(function.counters, function.slots);
    function.first = offset / 8;
    if (offset % 8 != 0 || function.first > header.counters || count > header.counters - function.first)
      malformed("the counters of " + function.name + " lie outside of the list of counters");
    uint64_t sites = 0;
    for (uint32_t kind = 0; kind < kValueKinds; ++kind) sites += load<uint16_t>(record, 52 + 2 * kind, "a record");
    profile.value_sites += sites;
    if (sites) with_values.push_back(i);
    profile.functions.push_back(std::move(function));
  }
  end = layout.value_data;
  for (size_t i = 0; i < with_values.size(); ++i) end += value_data_bytes(file, end);
  return profile;
}

// Chosen by the size of records. The header does not state it; the right size is the one with which every record's name
// is the digest of one of the names.
RawProfile read_one(Bytes file, uint64_t& end) {
  const Header header = read_header(file);
  try {
    return read_with(file, header, kRawRecordBytes, end);
  } catch (const Malformed& stock) {
    if (header.records == 0) throw;
    try {
      return read_with(file, header, kRfcRecordBytes, end);
    } catch (const Malformed& rfc) {
      // In device files the distance from records to counters is the file's.
      const bool looks_like_rfc =
          header.counters_delta == header.records * kRfcRecordBytes + header.pad_before_counters;
      throw looks_like_rfc ? rfc : stock;
    }
  }
}

const char* hint_of(const std::string& code) {
  if (code == "PGO_PROFILE_MAGIC") return "give a .profraw that an instrumented program wrote, or an indexed .profdata";
  if (code == "PGO_PROFILE_VERSION" || code == "PGO_PROFILE_VARIANT")
    return "build the program with clang 22 and -fprofile-generate, and run it again";
  return "the program did not finish writing it, or it was damaged since: run the program again";
}

}  // namespace

bool is_raw(Bytes file) {
  if (file.size() < 8) return false;
  const uint64_t magic = load<uint64_t>(file, 0, "the header");
  return magic == kRawMagic || magic == kRawMagic32 || magic == swapped(kRawMagic) || magic == swapped(kRawMagic32);
}

Result<std::vector<RawProfile>> read_raw(Bytes file, const std::string& what) {
  try {
    if (file.empty()) throw Malformed{"PGO_PROFILE_EMPTY", "it is empty: the program wrote no profile into it"};
    std::vector<RawProfile> profiles;
    while (!file.empty()) {
      uint64_t end = 0;
      profiles.push_back(read_one(file, end));
      while (end < file.size() && file[end] == 0) ++end;
      file = file.subspan(end);
    }
    return profiles;
  } catch (const Malformed& problem) {
    return Error{problem.code, what + ": " + problem.why, hint_of(problem.code)};
  }
}

std::vector<uint64_t> sum_slots(const RawFunction& function, std::span<const uint64_t> values) {
  std::vector<uint64_t> sums(function.counters);
  for (uint32_t counter = 0; counter < function.counters; ++counter) {
    for (uint64_t slot = 0; slot < function.slots; ++slot) {
      const uint64_t at = function.first + counter * function.slots + slot;
      if (at < values.size()) sums[counter] = saturating_add(sums[counter], values[at]);
    }
  }
  return sums;
}

}  // namespace kernloop::pgo
