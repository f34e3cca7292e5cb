// Manifests of a few kilobytes or megabytes that ask for far more memory than that, as edits of a capture's JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"

namespace kernloop::archive {

// A reader may take this much for any of these: the 4 Mi values that are read of a manifest take half of it as chunks.
inline constexpr uint64_t kMostHostileBytes = uint64_t{320} << 20;

struct HostileManifest {
  std::string name;
  std::string refusal;  // part of the message
  std::function<void(Json&)> edit;
};

inline std::vector<HostileManifest> hostile_manifests() {
  const auto zeros = [](size_t chunks) { return Json::array_t(chunks); };
  return {
      {"a region of half of all addresses", "beyond the address space",
       [](Json& j) { j["regions"][0]["size"] = uint64_t{1} << 63; }},
      {"a region of the last byte of all addresses", "beyond the address space",
       [](Json& j) { j["regions"][0]["size"] = ~uint64_t{0}; }},
      {"regions that one process cannot have together", "bytes together",
       [](Json& j) {
         for (int i = 0; i < 2; ++i) {
           j["regions"][i]["base"] = i == 0 ? "0x1000000000000" : "0x4000000000000";
           j["regions"][i]["size"] = uint64_t{1} << 47;
         }
       }},
      {"a region without its chunks", "chunks; ", [](Json& j) { j["regions"][0]["size"] = uint64_t{1} << 45; }},
      {"chunks without their region", "has 4000000 chunks",
       [zeros](Json& j) { j["regions"][0]["pre"]["chunks"] = zeros(4'000'000); }},
      {"more chunks than any capture has", "values that are read",
       [zeros](Json& j) { j["regions"][0]["pre"]["chunks"] = zeros(4'500'000); }},
      {"a code object of 2^63 bytes", "impossible size",
       [](Json& j) { j["code_objects"][0]["size"] = uint64_t{1} << 63; }},
      {"code objects that are sixteen gibibytes together", "code objects have more than",
       [zeros](Json& j) {
         const uint64_t size = uint64_t{4} << 30, chunk_bytes = j["chunk_bytes"].get<uint64_t>();
         Json code = j["code_objects"][0];
         const Json first = code["content"]["chunks"][0];
         code["size"] = size;
         code["content"]["chunks"] = zeros(size / chunk_bytes);
         code["content"]["chunks"][0] = first;
         for (int i = 0; i < 5; ++i) {
           code["sha256"] = std::string(63, 'e') + std::to_string(i);
           j["code_objects"].push_back(code);
         }
       }},
  };
}

}  // namespace kernloop::archive
