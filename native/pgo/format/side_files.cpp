#include "pgo/format/side_files.h"

namespace kernloop::pgo {

namespace {

constexpr uint32_t kMaxClasses = 1u << 20;
constexpr uint32_t kMaxText = 4096;

Error bad_side_file(const Malformed& problem, const std::string& what) {
  return {problem.code, what + ": " + problem.why,
          "the program did not finish writing it, or it was damaged since: run the program again"};
}

void append_text(Buffer& buffer, std::string_view text) {
  append(buffer, Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  pad_to_8(buffer);
}

std::string take_text(Cursor& cursor, uint32_t size, const char* what) {
  if (size > kMaxText) malformed(std::string(what) + " is impossibly long");
  const Bytes bytes = cursor.take_bytes(size, what);
  for (const uint8_t byte : bytes) {
    if (byte <= ' ' || byte >= 0x7f) malformed(std::string(what) + " is not a name");
  }
  cursor.align_to_8(what);
  return std::string(bytes.begin(), bytes.end());
}

// Checked before memory for that many is allocated.
void expect(const Cursor& cursor, uint64_t bytes, const char* what) {
  if (bytes > cursor.left()) truncated(what, cursor.position() + bytes, cursor.position() + cursor.left());
}

WaveFunction take_function(Cursor& cursor) {
  WaveFunction function;
  function.name_ref = cursor.take<uint64_t>("a function");
  function.hash = cursor.take<uint64_t>("a function");
  const auto counters = cursor.take<uint32_t>("a function"), classes = cursor.take<uint32_t>("a function");
  if (classes > kMaxClasses) malformed("a function has impossibly many classes");
  expect(cursor, uint64_t{counters} * 4, "the classes of counters");
  for (uint32_t i = 0; i < counters; ++i) {
    function.counter_class.push_back(cursor.take<uint32_t>("the classes of counters"));
    if (function.counter_class.back() >= classes) malformed("a counter belongs to a class that does not exist");
  }
  cursor.align_to_8("the classes of counters");
  expect(cursor, uint64_t{classes} * 24, "the classes");
  for (uint32_t i = 0; i < classes; ++i) {
    WaveClass one;
    one.waves = cursor.take<uint64_t>("a class");
    one.uniform_lanes = cursor.take<uint64_t>("a class");
    one.static_uniform = cursor.take<uint32_t>("a class") != 0;
    one.counter = cursor.take<uint32_t>("a class");
    if (one.counter != kNoCounter && one.counter >= counters) malformed("a class has a counter that does not exist");
    function.classes.push_back(one);
  }
  return function;
}

}  // namespace

std::string to_text(const Sampling& sampling) {
  switch (sampling.kind) {
    case Sampling::Kind::kBlocks:
      return "blocks:" + std::to_string(sampling.period);
    case Sampling::Kind::kLaunches:
      return "launches:" + std::to_string(sampling.period);
    case Sampling::Kind::kSparse:
      return "sparse:" + std::to_string(sampling.period);
    case Sampling::Kind::kAll:
      break;
  }
  return "all";
}

const char* to_text(UniformRule rule) {
  return rule == UniformRule::kFullMask ? "full-mask" : "branch";
}

Buffer write_uniform_counters(std::span<const uint64_t> values) {
  Buffer file;
  append(file, kUniformMagic);
  append(file, kUniformVersion);
  append(file, uint64_t{values.size()});
  append(file, uint64_t{values.size() * 8});
  for (const uint64_t value : values) append(file, value);
  return file;
}

Result<std::vector<uint64_t>> read_uniform_counters(Bytes file, const std::string& what) {
  try {
    Cursor cursor(file);
    if (cursor.take<uint64_t>("the header") != kUniformMagic)
      throw Malformed{"PGO_PROFILE_MAGIC", "it does not begin as uniform counters do"};
    const auto version = cursor.take<uint64_t>("the header");
    if (version != kUniformVersion) {
      throw Malformed{"PGO_PROFILE_VERSION", "it is of version " + std::to_string(version) + ", and version " +
                                                 std::to_string(kUniformVersion) + " is read"};
    }
    const auto count = cursor.take<uint64_t>("the header"), bytes = cursor.take<uint64_t>("the header");
    if (bytes != saturating_multiply(count, 8))
      malformed("its number of counters and their size contradict each other");
    auto values = cursor.take_words(count, "the list of counters");
    if (cursor.left() != 0) malformed("something follows its last counter");
    return values;
  } catch (const Malformed& problem) {
    return bad_side_file(problem, what);
  }
}

Buffer write_waves(const WaveFile& waves) {
  Buffer file;
  append(file, kWavesMagic);
  append(file, kWavesVersion);
  append(file, waves.wave_size);
  append(file, static_cast<uint32_t>(waves.sampling.kind));
  append(file, static_cast<uint32_t>(waves.uniform_rule));
  append(file, waves.sampling.period);
  append(file, static_cast<uint32_t>(waves.arch.size()));
  append(file, static_cast<uint32_t>(waves.cuid.size()));
  append(file, uint64_t{waves.functions.size()});
  append_text(file, waves.arch);
  append_text(file, waves.cuid);
  for (const WaveFunction& function : waves.functions) {
    append(file, function.name_ref);
    append(file, function.hash);
    append(file, static_cast<uint32_t>(function.counter_class.size()));
    append(file, static_cast<uint32_t>(function.classes.size()));
    for (const uint32_t counter_class : function.counter_class) append(file, counter_class);
    pad_to_8(file);
    for (const WaveClass& one : function.classes) {
      append(file, one.waves);
      append(file, one.uniform_lanes);
      append(file, uint32_t{one.static_uniform});
      append(file, one.counter);
    }
  }
  return file;
}

Result<WaveFile> read_waves(Bytes file, const std::string& what) {
  try {
    Cursor cursor(file);
    if (cursor.take<uint64_t>("the header") != kWavesMagic)
      throw Malformed{"PGO_PROFILE_MAGIC", "it does not begin as wave counters do"};
    const auto version = cursor.take<uint32_t>("the header");
    if (version != kWavesVersion) {
      throw Malformed{"PGO_PROFILE_VERSION", "it is of version " + std::to_string(version) + ", and version " +
                                                 std::to_string(kWavesVersion) + " is read"};
    }
    WaveFile waves;
    waves.wave_size = cursor.take<uint32_t>("the header");
    const auto sampling = cursor.take<uint32_t>("the header"), rule = cursor.take<uint32_t>("the header");
    if (waves.wave_size != 32 && waves.wave_size != 64) malformed("its waves have neither 32 nor 64 lanes");
    if (sampling > static_cast<uint32_t>(Sampling::Kind::kSparse)) malformed("it was sampled in an unknown way");
    if (rule > static_cast<uint32_t>(UniformRule::kFullMask)) malformed("its rule of uniformity is unknown");
    waves.sampling.kind = static_cast<Sampling::Kind>(sampling);
    waves.uniform_rule = static_cast<UniformRule>(rule);
    waves.sampling.period = cursor.take<uint64_t>("the header");
    const auto arch = cursor.take<uint32_t>("the header"), cuid = cursor.take<uint32_t>("the header");
    const auto functions = cursor.take<uint64_t>("the header");
    waves.arch = take_text(cursor, arch, "its architecture");
    waves.cuid = take_text(cursor, cuid, "its translation unit");
    for (uint64_t i = 0; i < functions; ++i) waves.functions.push_back(take_function(cursor));
    if (cursor.left() != 0) malformed("something follows its last function");
    return waves;
  } catch (const Malformed& problem) {
    return bad_side_file(problem, what);
  }
}

}  // namespace kernloop::pgo
