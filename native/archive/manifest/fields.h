// Reads the fields of one JSON object with types and bounds checked, and remembers which were read: the rest is
// `extra`. Throws ManifestProblem, which parse_manifest turns into an Error.
#pragma once

#include <limits>
#include <set>
#include <string>

#include "archive/manifest/manifest.h"

namespace kernloop::archive {

struct ManifestProblem {
  std::string what;
};

class Fields {
 public:
  Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) fail("is not an object");
  }

  bool has(const char* name) const { return json_.contains(name); }

  const Json& any(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) throw ManifestProblem{child(name) + " is missing"};
    read_.insert(name);
    return *found;
  }

  const Json& array(const char* name) {
    const Json& value = any(name);
    if (!value.is_array()) throw ManifestProblem{child(name) + " is not a list"};
    return value;
  }

  std::string text(const char* name) {
    const Json& value = any(name);
    if (!value.is_string()) throw ManifestProblem{child(name) + " is not a string"};
    return value.get<std::string>();
  }

  bool boolean(const char* name) {
    const Json& value = any(name);
    if (!value.is_boolean()) throw ManifestProblem{child(name) + " is not true or false"};
    return value.get<bool>();
  }

  template <typename T>
  T number(const char* name) {
    return to_number<T>(any(name), child(name));
  }

  uint64_t address(const char* name) {
    const auto value = from_hex_number(text(name));
    if (!value) throw ManifestProblem{child(name) + " is not a 0x… number"};
    return *value;
  }

  Digest digest(const char* name) {
    const auto value = Digest::parse(text(name));
    if (!value) throw ManifestProblem{child(name) + " is not a SHA-256"};
    return *value;
  }

  template <typename T>
  std::array<T, 3> extent(const char* name) {
    const Json& value = array(name);
    if (value.size() != 3) throw ManifestProblem{child(name) + " has not three dimensions"};
    std::array<T, 3> extent;
    for (size_t i = 0; i < 3; ++i) extent[i] = to_number<T>(value[i], child(name));
    return extent;
  }

  // An object of names and whole numbers.
  std::map<std::string, uint64_t> numbers(const char* name) {
    const Json& value = any(name);
    if (!value.is_object()) throw ManifestProblem{child(name) + " is not an object"};
    std::map<std::string, uint64_t> numbers;
    for (const auto& [key, number] : value.items()) numbers[key] = to_number<uint64_t>(number, child(name) + "." + key);
    return numbers;
  }

  Content content(const char* name) {
    Fields fields(any(name), child(name));
    Content content;
    const Json& chunks = fields.array("chunks");
    content.chunks.reserve(chunks.size());
    for (const Json& chunk : chunks) {
      if (chunk.is_null()) {
        content.chunks.push_back(std::nullopt);
        continue;
      }
      const auto digest = chunk.is_string() ? Digest::parse(chunk.get_ref<const std::string&>()) : std::nullopt;
      if (!digest) throw ManifestProblem{child(name) + ".chunks holds something that is neither a SHA-256 nor null"};
      content.chunks.push_back(digest);
    }
    return content;
  }

  std::string child(const char* name) const { return path_.empty() ? name : path_ + "." + name; }

  // Fields that a newer minor version added.
  Json rest() const {
    Json rest = Json::object();
    for (const auto& [name, value] : json_.items()) {
      if (!read_.contains(name)) rest[name] = value;
    }
    return rest;
  }

 private:
  template <typename T>
  static T to_number(const Json& value, const std::string& path) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
      throw ManifestProblem{path + " is not a whole number in range"};
    }
    return static_cast<T>(value.get<uint64_t>());
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw ManifestProblem{(path_.empty() ? "the top level" : path_) + " " + why};
  }

  const Json& json_;
  std::string path_;
  std::set<std::string> read_;
};

}  // namespace kernloop::archive
