#include "archive/manifest/manifest.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "archive/test/sample_capture.h"
#include "archive/test/temporary_directory.h"

namespace kernloop::archive {
namespace {

Json sample_json() {
  TemporaryDirectory directory;
  return to_json(write_sample(directory.path() / "capture"));
}

TEST(Manifest, SurvivesARoundTripWithFieldsOfNewerMinorVersions) {
  Json json = sample_json();
  json["later"] = {{"deep", {1, 2.5, "x", nullptr}}};
  for (const char* object : {"tool", "device", "kernel", "dispatch", "geometry", "kernarg", "scope", "execution"}) {
    json[object]["later"] = object;
  }
  json["kernarg"]["slots"][0]["later"] = 1;
  json["regions"][1]["later"] = 2;
  json["module_variables"][0]["later"] = 3;
  json["code_objects"][0]["later"] = 4;
  json["app"]["later"] = 5;
  const std::string text = to_text(json);
  const auto manifest = parse_manifest(text, "capture.json");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(to_text(*manifest), text);
}

TEST(Manifest, IsWrittenTheSameWayEveryTime) {
  TemporaryDirectory directory;
  const std::string once = to_text(write_sample(directory.path() / "a"));
  EXPECT_EQ(to_text(write_sample(directory.path() / "b")), once);
  EXPECT_TRUE(once.starts_with("{\n  \"app\": {"));
  EXPECT_TRUE(once.ends_with("}\n"));
}

TEST(Manifest, TakesTheExampleOfTheFormatsDocument) {
  const std::string digest(64, 'b');
  const Json json =
      Json::parse(R"json({
    "schema": "kernloop.capture/1", "tool": {"name": "kernloop", "version": "0.1.0"}, "hash": "sha256", "chunk_bytes": 4194304,
    "app": {"name": "batched-scale", "command": ["build/batched_scale"], "cwd": ".", "environment": {}, "files": []},
    "device": {"kind": "softgpu", "identity": "softgpu-gfx90a-1", "isa": "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
               "name": "Software AMD GPU", "wavefront_size": 64},
    "kernel": {"name": "scale(float**, int const*, float)", "symbol": "_Z5scalePPfPKif", "code_object": ")json" +
                  digest + R"json(",
               "kernarg_bytes": 8, "group_segment_bytes": 0, "private_segment_bytes": 0},
    "dispatch": {"ordinal": 1, "index": 3, "queue": 0},
    "geometry": {"grid_blocks": [4, 16, 1], "block_threads": [256, 1, 1], "grid_work_items": [1024, 16, 1],
                 "group_segment_bytes": 0, "private_segment_bytes": 0, "dimensions": 2},
    "kernarg": {"hex": "0010000000400000", "slots": [{"offset": 0, "size": 8, "kind": "global_buffer", "name": "pp",
                "value": "0x400000001000", "region": "r0", "policy": "replay"}]},
    "scope": {"mode": "reachable", "widened": false, "tracked_regions": 12, "tracked_bytes": 1073741824},
    "regions": [{"id": "r0", "base": "0x400000001000", "size": 8192, "class": "device", "api": "hsa_amd_memory_pool_allocate",
                 "allocation_ordinal": 7, "pre": {"chunks": [null]}, "post": {"chunks": [null]}}],
    "module_variables": [{"code_object": ")json" +
                  digest + R"json(", "name": "c_tab", "address": "0x500000000100", "size": 256,
                          "pre": {"chunks": [null]}, "post": {"chunks": [null]}}],
    "code_objects": [{"sha256": ")json" +
                  digest + R"json(", "size": 9000, "load_base": "0x500000000000", "content": {"chunks": [null]}}],
    "execution": {"wave_instructions": 1234}})json");
  const auto manifest = parse_manifest(json.dump(), "example");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->geometry.grid_work_items[1], 16u);
  EXPECT_EQ(manifest->kernarg.slots[0].name, "pp");
  EXPECT_EQ(manifest->regions[0].base, 0x400000001000u);
  EXPECT_EQ(manifest->execution.wave_instructions, 1234u);
}

TEST(Manifest, LaunchAttributesAndGridsBeyond32BitsSurviveARoundTrip) {
  Json json = sample_json();
  json["geometry"]["grid_blocks"] = {2147483647, 1, 1};
  json["geometry"]["block_threads"] = {1024, 1, 1};
  json["geometry"]["grid_work_items"] = {2147483647 * uint64_t{1024}, 1, 1};
  json["geometry"]["attributes"] = {{"cluster_blocks_x", 2}, {"cooperative", 1}};
  const auto manifest = parse_manifest(json.dump(), "large");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->geometry.grid_work_items[0], 2199023254528u);
  EXPECT_EQ(manifest->geometry.attributes.at("cluster_blocks_x"), 2u);
  EXPECT_EQ(to_json(*manifest)["geometry"], json["geometry"]);
}

TEST(Manifest, WhetherMemoryIsFineGrainedSurvivesARoundTrip) {
  for (const Json& told : {Json(true), Json(false), Json()}) {
    Json json = sample_json();
    if (!told.is_null()) json["regions"][1]["fine_grained"] = told;
    const auto manifest = parse_manifest(json.dump(), "told");
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_EQ(manifest->regions[1].fine_grained, told.is_null() ? std::nullopt : std::optional(told.get<bool>()));
    EXPECT_EQ(to_json(*manifest)["regions"], json["regions"]);
  }
}

TEST(Manifest, RefusesANewerMajorVersionAndSaysWhatToDo) {
  Json json = sample_json();
  json["schema"] = "kernloop.capture/2";
  const auto manifest = parse_manifest(json.dump(), "here/capture.json");
  ASSERT_FALSE(manifest);
  EXPECT_EQ(manifest.error().code, "CAPTURE_NEWER");
  EXPECT_NE(manifest.error().message.find("here/capture.json"), std::string::npos);
  EXPECT_NE(manifest.error().hint.find("update"), std::string::npos);
  json["schema"] = "kernloop.capture/1.7";
  EXPECT_TRUE(parse_manifest(json.dump(), "minor"));
  json["schema"] = "kernloop.capture/10";
  EXPECT_EQ(parse_manifest(json.dump(), "ten").error().code, "CAPTURE_NEWER");
}

TEST(Manifest, RefusesFeaturesThatItDoesNotKnowByName) {
  Json json = sample_json();
  EXPECT_FALSE(json.contains("requires")) << "older readers are given nothing new where nothing is";
  // Other fields of such a file need not make sense here.
  json["regions"] = "elsewhere";
  json["requires"] = {"dropped", "sparse-regions"};
  const auto manifest = parse_manifest(json.dump(), "here/capture.json");
  ASSERT_FALSE(manifest);
  EXPECT_EQ(manifest.error().code, "CAPTURE_NEWER");
  EXPECT_NE(manifest.error().message.find("here/capture.json requires \"sparse-regions\""), std::string::npos)
      << manifest.error().message;
  EXPECT_NE(manifest.error().hint.find("update"), std::string::npos);
  for (const Json& bad : {Json("dropped"), Json({{"dropped", true}}), Json::array({7}), Json(nullptr)}) {
    json["requires"] = bad;
    EXPECT_EQ(parse_manifest(json.dump(), "capture.json").error().code, "CAPTURE_INVALID") << bad;
  }
}

TEST(Manifest, FeaturesThatItKnowsSurviveARoundTrip) {
  for (const Json& known : {Json::array(), Json::array({"dropped"})}) {
    Json json = sample_json();
    json["requires"] = known;
    const auto manifest = parse_manifest(json.dump(), "capture.json");
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_EQ(to_json(*manifest).value("requires", Json::array()), known);
  }
}

TEST(Manifest, RefusesWhatCannotBe) {
  using Edit = void (*)(Json&);
  const std::pair<const char*, Edit> cases[] = {
      {"regions[0].id is missing", [](Json& j) { j["regions"][0].erase("id"); }},
      {"fine_grained is not true or false", [](Json& j) { j["regions"][0]["fine_grained"] = "yes"; }},
      {"not a plain name", [](Json& j) { j["regions"][0]["id"] = "../escape"; }},
      {"not a plain name", [](Json& j) { j["regions"][0]["id"] = ""; }},
      {"occurs twice", [](Json& j) { j["regions"][1]["id"] = "r0"; }},
      {"overlap", [](Json& j) { j["regions"][1]["base"] = "0x400000000020"; }},
      {"beyond the address space", [](Json& j) { j["regions"][1]["base"] = "0xfffffffffffffff0"; }},
      {"is empty", [](Json& j) { j["regions"][0]["size"] = 0; }},
      {"chunks", [](Json& j) { j["regions"][0]["size"] = uint64_t{1} << 40; }},
      {"bytes together", [](Json& j) { j["regions"][0]["size"] = uint64_t{1} << 50; }},
      {"chunks", [](Json& j) { j["regions"][0]["pre"]["chunks"].push_back(nullptr); }},
      {"neither a SHA-256 nor null", [](Json& j) { j["regions"][0]["pre"]["chunks"][0] = "../../etc/passwd"; }},
      {"neither a SHA-256 nor null", [](Json& j) { j["regions"][0]["pre"]["chunks"][0] = 7; }},
      {"whole number", [](Json& j) { j["regions"][0]["size"] = -1; }},
      {"whole number", [](Json& j) { j["regions"][0]["size"] = 1.5; }},
      {"not a string", [](Json& j) { j["regions"][0]["base"] = 4096; }},
      {"0x… number", [](Json& j) { j["regions"][0]["base"] = "4096"; }},
      {"only device and host", [](Json& j) { j["regions"][0]["class"] = "disk"; }},
      {"chunk_bytes", [](Json& j) { j["chunk_bytes"] = 1; }},
      {"chunk_bytes", [](Json& j) { j["chunk_bytes"] = uint64_t{1} << 40; }},
      {"only sha256", [](Json& j) { j["hash"] = "md5"; }},
      {"not hexadecimal", [](Json& j) { j["kernarg"]["hex"] = "zz"; }},
      {"kernarg.hex has", [](Json& j) { j["kernarg"]["hex"] = "00"; }},
      {"ends beyond the segment", [](Json& j) { j["kernarg"]["slots"][0]["size"] = 4294967295u; }},
      {"unknown region", [](Json& j) { j["kernarg"]["slots"][0]["region"] = "r9"; }},
      {"only replay and zero", [](Json& j) { j["kernarg"]["slots"][0]["policy"] = "guess"; }},
      {"not in code_objects", [](Json& j) { j["kernel"]["code_object"] = std::string(64, 'c'); }},
      {"unknown code object", [](Json& j) { j["module_variables"][0]["code_object"] = std::string(64, 'c'); }},
      {"impossible size", [](Json& j) { j["code_objects"][0]["size"] = uint64_t{1} << 40; }},
      {"grid_blocks does not fit",
       [](Json& j) {
         j["geometry"]["grid_work_items"] = {1, 1, 1};
       }},
      {"grid_blocks does not fit", [](Json& j) { j["geometry"]["grid_work_items"][0] = ~uint64_t{0}; }},
      {"attributes is not an object", [](Json& j) { j["geometry"]["attributes"] = Json::array({1}); }},
      {"attributes.cooperative is not a whole number",
       [](Json& j) { j["geometry"]["attributes"]["cooperative"] = true; }},
      {"impossibly many",
       [](Json& j) {
         for (int i = 0; i < 2000; ++i) j["geometry"]["attributes"][std::to_string(i)] = i;
       }},
      {"block_threads",
       [](Json& j) {
         j["geometry"]["block_threads"] = {0, 1, 1};
       }},
      {"three dimensions",
       [](Json& j) {
         j["geometry"]["block_threads"] = {1, 1};
       }},
      {"path that climbs", [](Json& j) { j["app"]["files"][0]["path"] = "build/../../secret"; }},
      {"is not an object", [](Json& j) { j["device"] = 3; }},
      {"is not a list", [](Json& j) { j["regions"] = Json::object(); }},
  };
  for (const auto& [expected, edit] : cases) {
    Json json = sample_json();
    edit(json);
    const auto manifest = parse_manifest(json.dump(), "capture.json");
    ASSERT_FALSE(manifest) << expected;
    EXPECT_EQ(manifest.error().code, "CAPTURE_INVALID");
    EXPECT_NE(manifest.error().message.find(expected), std::string::npos) << manifest.error().message;
  }
}

// The recorder streams code objects of that size: a capture of one must not be refused in the end.
TEST(Manifest, TakesCodeObjectsOfUpToFourGibibytes) {
  const auto with_size = [](uint64_t size) {
    Json json = sample_json();
    Json& code = json["code_objects"][0];
    const auto chunk_bytes = json["chunk_bytes"].get<uint64_t>();
    code["size"] = size;
    code["content"]["chunks"] = std::vector<Json>((size + chunk_bytes - 1) / chunk_bytes);
    return parse_manifest(json.dump(), "capture.json");
  };
  const auto largest = with_size(uint64_t{4} << 30);
  EXPECT_TRUE(largest) << largest.error().message;
  const auto larger = with_size((uint64_t{4} << 30) + 1);
  ASSERT_FALSE(larger);
  EXPECT_NE(larger.error().message.find("impossible size"), std::string::npos) << larger.error().message;
}

TEST(Manifest, RefusesNestingThatWouldExhaustTheStack) {
  std::string deep = R"({"schema":"kernloop.capture/1","x":)";
  for (int i = 0; i < 200000; ++i) deep += '[';
  EXPECT_FALSE(parse_manifest(deep, "deep"));
  for (int i = 0; i < 200000; ++i) deep += ']';
  EXPECT_FALSE(parse_manifest(deep + "}", "deep"));
}

// 80 MiB of text, whose values would take 384 MiB while they are read.
TEST(Manifest, OneOfMillionsOfChunksIsRefusedWithinLittleMemory) {
  std::string nulls;
  for (size_t i = 0; i < 1u << 16; ++i) nulls += ",null";
  std::string text = R"({"schema":"kernloop.capture/1","regions":[{"pre":{"chunks":[null)";
  for (size_t i = 0; i < 256; ++i) text += nulls;
  text += "]}}]}";
  std::ifstream pages("/proc/self/statm");
  rlim_t used = 0;
  pages >> used;
  used *= static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const auto parse_within_little_memory = [&] {
    const rlimit limit{used + (224u << 20), RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    const auto manifest = parse_manifest(text, "many");
    std::fprintf(stderr, "%s: %s\n", manifest.error().code.c_str(), manifest.error().message.c_str());
    std::_Exit(0);
  };
  EXPECT_EXIT(parse_within_little_memory(), ::testing::ExitedWithCode(0),
              "CAPTURE_INVALID: many has more than the [0-9]+ values that are read");
}

TEST(Manifest, IsCheckedBeforeItIsWritten) {
  TemporaryDirectory directory;
  auto writer = CaptureWriter::create({directory.path() / "capture", std::nullopt});
  Manifest manifest = sample_manifest(**writer, {});
  manifest.regions[0].size += 1 << 30;
  EXPECT_FALSE((*writer)->finish(manifest, Json::object()));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "capture" / kManifestFile));
}

}  // namespace
}  // namespace kernloop::archive
