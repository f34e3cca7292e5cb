#include "pgo/pass/use/waves.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <optional>

namespace kernloop::pgo_pass {

namespace {

using llvm::Twine;

constexpr uint64_t kMaxBytes = 256 << 20;
constexpr int kMaxDepth = 8;  // llvm::json recurses
constexpr size_t kMaxCounters = 1 << 20;

llvm::Error bad(const Twine& what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

bool is_too_deep(llvm::StringRef text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// JSON's numbers are doubles for many readers: 64 bits travel as text.
std::optional<uint64_t> hex(const llvm::json::Value* value) {
  const auto text = value ? value->getAsString() : std::nullopt;
  uint64_t number;
  if (!text || !text->starts_with("0x") || text->drop_front(2).getAsInteger(16, number)) return std::nullopt;
  return number;
}

llvm::Expected<std::vector<uint64_t>> hex_list(const llvm::json::Object& object, llvm::StringRef key, const Twine& at) {
  std::vector<uint64_t> numbers;
  const auto* value = object.get(key);
  if (!value) return numbers;
  const auto* list = value->getAsArray();
  if (!list || list->size() > kMaxCounters) return bad(at + "." + key + " is not a list of at most 2^20 numbers");
  for (const auto& entry : *list) {
    const auto number = hex(&entry);
    if (!number) return bad(at + "." + key + "[" + Twine(numbers.size()) + "] is not a number \"0x…\" of 64 bits");
    numbers.push_back(*number);
  }
  return numbers;
}

llvm::Expected<std::vector<WaveClass>> read_classes(const llvm::json::Object& object, const Twine& at) {
  std::vector<WaveClass> classes;
  const auto* value = object.get("classes");
  if (!value) return classes;
  const auto* list = value->getAsArray();
  if (!list || list->size() > kMaxCounters) return bad(at + ".classes is not a list of at most 2^20 classes");
  for (const auto& entry : *list) {
    const auto* fields = entry.getAsObject();
    const auto waves = fields ? hex(fields->get("waves")) : std::nullopt;
    const auto uniform = fields ? hex(fields->get("uniform_lanes")) : std::nullopt;
    if (!waves || !uniform)
      return bad(at + ".classes[" + Twine(classes.size()) + "] lacks waves or uniform_lanes as \"0x…\"");
    classes.push_back({*waves, *uniform, fields->getBoolean("static_uniform").value_or(false)});
  }
  return classes;
}

llvm::Expected<std::vector<uint64_t>> read_counter_class(const llvm::json::Object& object, size_t classes,
                                                         const Twine& at) {
  std::vector<uint64_t> indexes;
  const auto* list = object.getArray("counter_class");
  if (!list) return indexes;
  if (list->size() > kMaxCounters) return bad(at + ".counter_class has more than 2^20 entries");
  for (const auto& entry : *list) {
    const auto index = entry.getAsUINT64();
    if (!index || *index >= classes)
      return bad(at + ".counter_class[" + Twine(indexes.size()) + "] is not the index of one of its " + Twine(classes) +
                 " classes");
    indexes.push_back(*index);
  }
  return indexes;
}

llvm::Expected<FunctionWaves> read_function(const llvm::json::Object& object, const Twine& at) {
  FunctionWaves function;
  for (auto [key, into] : {std::pair{"counters", &function.counters}, std::pair{"uniform", &function.uniform}}) {
    auto list = hex_list(object, key, at);
    if (!list) return list.takeError();
    *into = std::move(*list);
  }
  const size_t counters = function.counters.size();
  if (counters == 0) return bad(at + " has no counters");
  if (!function.uniform.empty() && function.uniform.size() != counters)
    return bad(at + ": uniform has " + Twine(function.uniform.size()) + " entries for " + Twine(counters) +
               " counters");
  const auto pattern = object.getString("pattern").value_or("");
  if (pattern.find_first_not_of("UD") != llvm::StringRef::npos || (!pattern.empty() && pattern.size() != counters))
    return bad(at + ".pattern is not one letter, U or D, for each of its " + Twine(counters) + " counters");
  function.pattern = pattern.str();
  auto classes = read_classes(object, at);
  if (!classes) return classes.takeError();
  function.classes = std::move(*classes);
  auto counter_class = read_counter_class(object, function.classes.size(), at);
  if (!counter_class) return counter_class.takeError();
  if (!function.classes.empty() && counter_class->size() != counters)
    return bad(at + ": counter_class has " + Twine(counter_class->size()) + " entries for " + Twine(counters) +
               " counters");
  function.counter_class = std::move(*counter_class);
  return function;
}

}  // namespace

llvm::Expected<WaveProfile> parse_waves(llvm::StringRef text) {
  if (is_too_deep(text)) return bad("nested more than " + Twine(kMaxDepth) + " deep");
  auto parsed = llvm::json::parse(text);
  if (!parsed) return parsed.takeError();
  const auto* root = parsed->getAsObject();
  const auto schema = root ? root->getString("schema") : std::nullopt;
  if (!schema || *schema != "kernloop.pgo-waves/1")
    return bad("its schema is " + (schema ? "\"" + schema->str() + "\"" : std::string("missing")) +
               ", not \"kernloop.pgo-waves/1\"");
  WaveProfile profile;
  if (const auto arch = root->getString("arch")) profile.arch = arch->str();
  const auto wave_size = root->getInteger("wave_size");
  if (!wave_size || (*wave_size != 0 && *wave_size != 32 && *wave_size != 64))
    return bad("wave_size is none of 32, 64, and 0 for not told");
  profile.wave_size = static_cast<uint64_t>(*wave_size);
  const auto* functions = root->getArray("functions");
  if (!functions) return bad("functions is missing");
  for (size_t i = 0; i < functions->size(); ++i) {
    const std::string at = "functions[" + std::to_string(i) + "]";
    const auto* object = (*functions)[i].getAsObject();
    const auto name = object ? object->getString("name") : std::nullopt;
    const auto hash = object ? hex(object->get("hash")) : std::nullopt;
    if (!name || !hash) return bad(Twine(at) + " has no name, or no hash \"0x…\"");
    auto function = read_function(*object, at);
    if (!function) return function.takeError();
    if (!profile.functions.emplace(std::pair{name->str(), *hash}, std::move(*function)).second)
      return bad(Twine(at) + ": " + *name + " is there twice with one hash");
  }
  return profile;
}

llvm::Expected<WaveProfile> read_waves(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return bad("cannot be read: " + buffer.getError().message());
  if ((*buffer)->getBufferSize() > kMaxBytes) return bad("it is larger than 256 MiB");
  return parse_waves((*buffer)->getBuffer());
}

}  // namespace kernloop::pgo_pass
