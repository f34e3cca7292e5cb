// kernloop-archive: `verify DIR [--store DIR]…` reads and checks every byte, `info DIR` tells what a capture holds,
// `code-object DIR --output FILE` writes the code object of the captured kernel, `pack DIR --output FILE` makes one
// file of a capture, `unpack FILE --output DIR [--symbol NAME]` a capture of that; `export-chunks DIR --output FOLDER`
// writes the chunks that stdin names as raw files, `import-chunks FOLDER --output STORE` takes them in; `shrink DIR
// --dropped FILE --output DIR [--into STORE] [--inline-limit BYTES]` writes it without these bytes; `describe [--ptx]`
// tells the kernels of the code object on stdin. JSON objects on stdout, one a line; exit codes of
// docs/contributing/seams.md.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <set>

#include "archive/capture/reader.h"
#include "archive/capture/shrink.h"
#include "archive/commands.h"
#include "archive/files/file.h"
#include "archive/manifest/dropped.h"
#include "archive/packed/packed_capture.h"
#include "base/numbers.h"
#include "base/option_table.h"

namespace kernloop::archive {

int print(const Json& event) {
  std::cout << ndjson(event) << std::endl;
  return event.at("event") == "error" ? kExitBadInput : kExitPass;
}

}  // namespace kernloop::archive

namespace {

using namespace kernloop;
using namespace kernloop::archive;

constexpr size_t kProblemsListed = 16;

// Distinct chunks are read once, however often they are used.
int verify(const Reader& reader) {
  std::set<std::pair<Digest, uint64_t>> seen;
  std::vector<Error> problems;
  uint64_t raw_bytes = 0, distinct_bytes = 0, zero_chunks = 0;
  for (const ContentView& view : contents_of(reader.manifest())) {
    raw_bytes += view.size;
    Buffer raw;
    for (size_t i = 0; i < view.content->chunks.size(); ++i) {
      const ChunkName& name = view.content->chunks[i];
      if (!name) ++zero_chunks;
      // By size, too: a chunk expected with two sizes is damaged in one of its uses.
      if (!name || !seen.emplace(*name, reader.chunk_size(view, i)).second) continue;
      raw.resize(reader.chunk_size(view, i));
      if (auto read = reader.read_chunk(view, i, raw); !read) problems.push_back(read.error());
      distinct_bytes += raw.size();
    }
  }
  for (const CodeObject& code_object : reader.manifest().code_objects) {
    if (auto read = reader.verify_code_object(code_object); !read && read.error().code == "CAPTURE_INVALID") {
      problems.push_back(read.error());
    }
  }
  if (problems.empty()) {
    return print({{"event", ArchiveEvent::verified},
                  {"capture_sha256", reader.capture_digest().hex()},
                  {"chunks", seen.size()},
                  {"zero_chunks", zero_chunks},
                  {"bytes_raw", raw_bytes},
                  {"bytes_distinct", distinct_bytes}});
  }
  Json event = error_event(problems.front());
  event["problem_count"] = problems.size();
  event["problems"] = Json::array();
  for (size_t i = 0; i < problems.size() && i < kProblemsListed; ++i)
    event["problems"].push_back(error_event(problems[i]));
  return print(event);
}

int info(const Reader& reader) {
  const Manifest& manifest = reader.manifest();
  std::set<Digest> distinct;
  uint64_t region_bytes = 0, raw_bytes = 0, stored_bytes = 0, missing = 0;
  for (const Region& region : manifest.regions) region_bytes += region.size;
  for (const ContentView& view : contents_of(manifest)) {
    raw_bytes += view.size;
    for (const ChunkName& name : view.content->chunks) {
      if (!name || !distinct.insert(*name).second) continue;
      const auto size = reader.stored_bytes(*name);
      size ? stored_bytes += *size : ++missing;
    }
  }
  return print(
      {{"event", ArchiveEvent::info},
       {"schema", kCaptureSchema},
       {"capture_sha256", reader.capture_digest().hex()},
       {"kernel", {{"name", manifest.kernel.name}, {"symbol", manifest.kernel.symbol}}},
       {"device",
        {{"kind", manifest.device.kind}, {"identity", manifest.device.identity}, {"isa", manifest.device.isa}}},
       {"grid_blocks", manifest.geometry.grid_blocks},
       {"block_threads", manifest.geometry.block_threads},
       {"regions", manifest.regions.size()},
       {"region_bytes", region_bytes},
       {"dropped_bytes", dropped_bytes_of(manifest)},
       {"module_variables", manifest.module_variables.size()},
       {"code_objects", manifest.code_objects.size()},
       {"tracked_bytes", manifest.scope.tracked_bytes},
       {"chunks", distinct.size()},
       {"chunks_missing", missing},
       {"bytes_raw", raw_bytes},
       {"bytes_stored", stored_bytes}});
}

int write_code_object(const Reader& reader, const std::filesystem::path& output) {
  const Digest& wanted = reader.manifest().kernel.code_object;
  for (const CodeObject& code_object : reader.manifest().code_objects) {
    if (!(code_object.sha256 == wanted)) continue;
    const auto bytes = reader.read_code_object(code_object);
    if (!bytes) return print(error_event(bytes.error()));
    if (const auto written = write_atomically(output, Bytes(*bytes)); !written)
      return print(error_event(written.error()));
    return print({{"event", ArchiveEvent::code_object}, {"sha256", wanted.hex()}, {"bytes", bytes->size()}});
  }
  return print(error_event({"CAPTURE_INVALID", "the capture lacks the code object of its kernel", "capture again"}));
}

int pack(const Reader& reader, const std::filesystem::path& output) {
  const auto packed = pack_capture(reader, output);
  if (!packed) return print(error_event(packed.error()));
  return print({{"event", ArchiveEvent::packed},
                {"capture_sha256", packed->capture_sha256.hex()},
                {"chunks", packed->chunks},
                {"bytes", packed->bytes}});
}

const char* name_of(UnpackOutcome outcome) {
  switch (outcome) {
    case UnpackOutcome::kWritten:
      return "written";
    case UnpackOutcome::kUnchanged:
      return "unchanged";
    case UnpackOutcome::kRepaired:
      return "repaired";
  }
  return "";
}

int shrink(const Reader& reader, const ShrinkRequest& request) {
  const auto shrunk = shrink_capture(reader, request);
  if (!shrunk) return print(error_event(shrunk.error()));
  return print({{"event", ArchiveEvent::shrunk},
                {"dropped_bytes", shrunk->dropped_bytes},
                {"bytes_stored", shrunk->bytes_stored}});
}

int unpack(const UnpackRequest& request) {
  const auto unpacked = unpack_capture(request);
  if (!unpacked) return print(error_event(unpacked.error()));
  return print({{"event", ArchiveEvent::unpacked},
                {"outcome", name_of(unpacked->outcome)},
                {"capture_sha256", unpacked->capture_sha256.hex()},
                {"chunks", unpacked->chunks},
                {"bytes", unpacked->bytes}});
}

struct Arguments {
  std::filesystem::path output;
  std::vector<std::filesystem::path> stores;
  std::string symbol;
  ShrinkRequest shrinking;
};

OptionTable table_of(Arguments& arguments) {
  ShrinkRequest& shrinking = arguments.shrinking;
  return OptionTable("kernloop-archive verify|info|code-object|pack|unpack|shrink|export-chunks|import-chunks PATH",
                     {{"--store", "DIR", append_to(arguments.stores), {.is_repeated = true}},
                      {"--output", "PATH", into(arguments.output)},
                      {"--symbol", "NAME", into(arguments.symbol)},
                      {"--dropped", "FILE", into(shrinking.dropped)},
                      {"--into", "STORE", into(shrinking.writer.store), {.with = "--dropped"}},
                      {"--inline-limit",
                       "BYTES",
                       parsed(number_of<uint64_t>, shrinking.writer.inline_limit_bytes),
                       {.with = "--dropped"}}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && is_store_command(words[0])) return run_store_command(words);
  using Words = std::vector<std::string>;
  if (const bool with_ptx = words == Words{"describe", "--ptx"}; with_ptx || words == Words{"describe"})
    return describe_command(with_ptx);
  Arguments arguments;
  auto& [output, stores, symbol, shrinking] = arguments;
  const OptionTable table = table_of(arguments);
  const auto wrong = [&](const std::string& what) { return print(error_event(table.wrong(what))); };
  const std::set<std::string> verbs = {"verify", "info",          "code-object",   "pack",
                                       "unpack", "export-chunks", "import-chunks", "shrink"};
  if (words.empty() || !verbs.contains(words[0])) {
    return print(error_event(
        {"USAGE", "no verb: verify, info, code-object, pack, unpack, shrink, export-chunks or import-chunks",
         table.usage() + ", describe [--ptx], or " + store_usage()}));
  }
  const std::string& verb = words[0];
  std::vector<std::string> directories;
  if (const auto given = table.parse(std::span(words).subspan(1), &directories); !given)
    return print(error_event(given.error()));
  if (directories.size() != 1) return wrong("exactly one capture is needed");
  if ((verb == "shrink") == shrinking.dropped.empty()) return wrong("shrink takes --dropped, and no other verb does");
  if ((verb != "verify" && verb != "info") == output.empty())
    return wrong("--output goes with every verb but verify and info");
  if (verb == "unpack") return unpack({directories[0], output, symbol});
  if (verb == "import-chunks") return import_command(directories[0], output);
  if (const char* store = std::getenv("KERNLOOP_STORE"); store && *store) stores.emplace_back(store);
  auto reader = Reader::open(directories[0], stores);
  if (!reader) return print(error_event(reader.error()));
  if (verb == "pack") return pack(**reader, output);
  if (verb == "shrink") {
    shrinking.writer.directory = output;
    return shrink(**reader, shrinking);
  }
  if (verb == "export-chunks") return export_command(**reader, output);
  if (verb == "code-object") return write_code_object(**reader, output);
  return verb == "verify" ? verify(**reader) : info(**reader);
}
