// The layout is that of llvm/ProfileData/InstrProf.h (Header, Summary) and of OnDiskIterableChainedHashTable: its items
// are consecutive, and are read without the hash.
#include "pgo/format/indexed.h"
#include "pgo/format/names.h"

namespace kernloop::pgo {

namespace {

constexpr uint64_t kOldest = 11, kNewest = kIndexedUniformVersion;
constexpr uint64_t kIr = uint64_t{1} << 56, kContext = uint64_t{1} << 57, kEntry = uint64_t{1} << 58,
                   kLoopEntries = uint64_t{1} << 55;

// Past the summary of counts, of which there may be two.
void skip_summary(Cursor& cursor) {
  const auto fields = cursor.take<uint64_t>("the summary"), cutoffs = cursor.take<uint64_t>("the summary");
  cursor.take_bytes(saturating_multiply(saturating_add(fields, saturating_multiply(cutoffs, 3)), 8), "the summary");
}

// Bit i of the bits is counter i's.
std::string take_pattern(Cursor& cursor, size_t counters) {
  const auto bits = cursor.take<uint64_t>("the uniformity of a function");
  if (bits == 0) return "";
  if (bits != counters) malformed("a function has another number of counters than of bits of uniformity");
  const Bytes bytes = cursor.take_bytes((bits + 7) / 8, "the uniformity of a function");
  cursor.align_to_8("the uniformity of a function");
  std::string pattern(counters, 'D');
  for (size_t i = 0; i < counters; ++i) {
    if (bytes[i / 8] >> (i % 8) & 1) pattern[i] = 'U';
  }
  return pattern;
}

// All functions of one name: one for each hash.
void take_functions(Bytes data, const std::string& name, uint64_t version, Profile& profile) {
  Cursor cursor(data);
  while (cursor.left() > 0) {
    FunctionProfile function;
    function.name = name;
    function.name_ref = name_ref(name);
    function.hash = cursor.take<uint64_t>("a function");
    const auto counters = cursor.take<uint64_t>("a function");
    function.counters = cursor.take_words(counters, "the counters of a function");
    cursor.take_bytes(cursor.take<uint64_t>("a function"), "the bitmap of a function");
    cursor.align_to_8("the bitmap of a function");
    if (version >= kIndexedUniformVersion) function.pattern = take_pattern(cursor, function.counters.size());
    const auto value_bytes = cursor.take<uint32_t>("the values of a function");
    const auto kinds = cursor.take<uint32_t>("the values of a function");
    if (value_bytes < 8 || value_bytes % 8 != 0) malformed("the values of a function have an impossible size");
    cursor.take_bytes(value_bytes - 8, "the values of a function");
    profile.value_sites += kinds;
    profile.functions.push_back(std::move(function));
  }
}

Profile read_items(Bytes file) {
  Cursor cursor(file);
  const auto word = [&] { return cursor.take<uint64_t>("the header"); };
  const uint64_t magic = word();
  if (magic == __builtin_bswap64(kIndexedMagic))
    throw Malformed{"PGO_PROFILE_ENDIAN", "it was written with the other byte order"};
  if (magic != kIndexedMagic) throw Malformed{"PGO_PROFILE_MAGIC", "it does not begin as an indexed profile does"};
  const uint64_t full = word(), version = full & 0xffffffff;
  if (version < kOldest || version > kNewest) {
    throw Malformed{"PGO_PROFILE_VERSION", "it is of indexed version " + std::to_string(version) + ", and versions " +
                                               std::to_string(kOldest) + " to 13, and 14 of the RFC, are read"};
  }
  const uint64_t known = kIr | kContext | kEntry | kLoopEntries;
  if ((full & 0xffffffff00000000) & ~known)
    throw Malformed{"PGO_PROFILE_VARIANT", "it is not of execution counts alone (memory, coverage or traces)"};
  Profile profile;
  profile.variant = {(full & kIr) != 0, (full & kEntry) != 0, (full & kContext) != 0, (full & kLoopEntries) != 0};
  word();                             // unused
  const uint64_t hash_kind = word();  // hash of names: MD5
  const uint64_t hash_offset = word();
  if (hash_kind != 0) throw Malformed{"PGO_PROFILE_VERSION", "its names are hashed in an unknown way"};
  word(), word(), word();     // offsets: memory, binary ids, traces
  if (version >= 12) word();  // names of virtual tables
  skip_summary(cursor);
  if (profile.variant.context_sensitive) skip_summary(cursor);
  Cursor table(file, hash_offset);
  table.take<uint64_t>("the table of functions");
  const auto entries = table.take<uint64_t>("the table of functions");
  // The items end where the table begins.
  Cursor items(slice(file, 0, hash_offset, "the list of functions"), cursor.position());
  for (uint64_t read = 0; read < entries;) {
    const auto in_bucket = items.take<uint16_t>("the list of functions");
    for (uint16_t i = 0; i < in_bucket && read < entries; ++i, ++read) {
      items.take<uint64_t>("the list of functions");
      const auto key = items.take<uint64_t>("the list of functions"),
                 data = items.take<uint64_t>("the list of functions");
      const Bytes name = items.take_bytes(key, "the name of a function");
      take_functions(items.take_bytes(data, "the counts of a function"), std::string(name.begin(), name.end()), version,
                     profile);
    }
  }
  return profile;
}

}  // namespace

bool is_indexed(Bytes file) {
  if (file.size() < 8) return false;
  const uint64_t magic = load<uint64_t>(file, 0, "the header");
  return magic == kIndexedMagic || magic == __builtin_bswap64(kIndexedMagic);
}

Result<Profile> read_indexed(Bytes file, const std::string& what) {
  try {
    return read_items(file);
  } catch (const Malformed& problem) {
    return Error{problem.code, what + ": " + problem.why, "make it again with `llvm-profdata-22 merge`"};
  }
}

}  // namespace kernloop::pgo
