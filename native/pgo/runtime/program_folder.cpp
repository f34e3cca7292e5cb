#include "pgo/runtime/program_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "base/digest.h"
#include "base/json.h"
#include "pgo/format/files.h"
#include "pgo/runtime/nvrtc_options.h"

namespace kernloop::pgo::runtime {

namespace {

constexpr const char* kRemedy = "check the folder of the cache (--cache), its permissions and its disk";

Error cannot(const std::string& what, const fs::path& path, const std::error_code& problem) {
  return {"IO_ERROR", "cannot " + what + " " + path.string() + ": " + problem.message(), kRemedy};
}

Status make_folder(const fs::path& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) return cannot("make", path, problem);
  return kernloop::Unit{};
}

// A header's name is its path below a folder, as programs include it; none may leave the folder.
bool stays_below(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name) {
    if (part == ".." || part.empty()) return false;
  }
  return true;
}

Json read_json(const fs::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return nullptr;
  const auto json = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string());
  return json ? *json : Json();
}

fs::path facts_file(const fs::path& code) {
  return code.string() + ".json";
}

// Otherwise workloads that never return would fill the disk.
void forget_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem))
    all.emplace_back(fs::last_write_time(entry.path() / "kernels.json", problem), entry.path());
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i + kMostProfiles < all.size(); ++i) fs::remove_all(all[i].second, problem);
}

// Renames integer types that the program declares itself because NVRTC lacks them: clang's headers define them
// differently.
std::string own_types(const Json& request, const std::string& text) {
  std::string all = text, macros;
  for (const auto& header : request.at("headers")) all += "\n" + header.at("content").get<std::string>();
  for (const char* sign : {"", "u"}) {
    for (const char* bits : {"8", "16", "32", "64", "ptr"}) {
      const std::string name = std::string(sign) + "int" + bits + "_t";
      const std::regex own("\\b(typedef\\s[^;]*\\b" + name + "\\s*;|using\\s+" + name + "\\s*=)");
      if (std::regex_search(all, own)) macros += "#define " + name + " kernloop_" + name + "\n";
    }
  }
  return macros;
}

// clang includes CUDA's headers by itself; headers that the program includes must take it for NVRTC.
std::string for_nvrtc(const Json& request, const std::string& text) {
  const auto options = words_of_nvrtc(request.at("options"));
  const bool all_on_device = options && options->all_on_device;
  return "#define __CUDACC_RTC__ 1\n" + own_types(request, text) +
         (all_on_device
              ? "#pragma clang force_cuda_host_device begin\n" + text + "#pragma clang force_cuda_host_device end\n"
              : text);
}

constexpr const char* kSideFiles[] = {".profraw", ".unifcnts", ".wavecnts"};

// Empty where one is missing.
std::string digest_of_profile(const fs::path& raw) {
  std::string all;
  for (const char* extension : kSideFiles) {
    const auto digest = digest_of_file(fs::path(raw).replace_extension(extension));
    if (!digest) return "";
    all += *digest;
  }
  return digest_of_text(all).substr(0, 32);
}

}  // namespace

std::string digest_of_text(const std::string& text) {
  return sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()}).hex();
}

std::optional<std::string> digest_of_file(const fs::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return std::nullopt;
  return sha256(*bytes).hex();
}

Status write_text_file(const fs::path& path, const std::string& text) {
  return write_file(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::optional<CountsOfFunctions> counts_in(const fs::path& raw) {
  const auto profiles = read_profiles(raw, false);
  if (!profiles) return std::nullopt;
  CountsOfFunctions counts;
  for (const Profile& profile : *profiles) {
    for (const FunctionProfile& function : profile.functions)
      counts[{function.name_ref, function.hash}] = function.counters;
  }
  return counts;
}

ProgramFolder::ProgramFolder(const Config& config, fs::path folder, Json request)
    : config_(&config), folder_(std::move(folder)), request_(std::move(request)) {
  if (!config.clang.empty()) {
    built_ = folder_ / config.conditions.substr(0, 16);
  } else if (const auto latest = read_json(folder_ / "latest.json"); latest.is_object()) {
    const std::string name = latest.value("built", "");
    if (name.size() == 16 && stays_below(name)) built_ = folder_ / name;
  }
}

Result<ProgramFolder> ProgramFolder::make(const Config& config, const std::string& text) {
  const auto parsed = parse_json(text, "the request");
  if (!parsed || !parsed->is_object()) return Error{"PGO_RUNTIME_CONFIG", "the request is no JSON object", "report it"};
  for (const auto& header : parsed->at("headers")) {
    const fs::path name = header.at("name").get<std::string>();
    if (!stays_below(name)) {
      return Error{"PGO_RUNTIME_SOURCE", "the header \"" + name.string() + "\" cannot be kept as a file below a folder",
                   "give hiprtcCreateProgram names of headers without \"..\" and without a root"};
    }
  }
  ProgramFolder program(config, config.cache / digest_of_text("1\n" + text).substr(0, 32), *parsed);
  if (auto made = make_folder(program.folder_); !made) return made.error();
  return program;
}

Result<ProgramFolder> ProgramFolder::at(const Config& config, const fs::path& folder) {
  const Json request = read_json(folder / "request.json");
  if (!request.is_object())
    return Error{"IO_ERROR", (folder / "request.json").string() + " is not there any more", kRemedy};
  return ProgramFolder(config, folder, request);
}

Status ProgramFolder::lock() const {
  const fs::path path = folder_ / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  while (file >= 0 && ::flock(file, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const std::error_code problem(errno, std::generic_category());
    ::close(file);
    return cannot("lock", path, problem);
  }
  if (file < 0) return cannot("open", path, {errno, std::generic_category()});
  // Input of the compiler: written each time, so that it cannot be anything else.
  if (auto done = write_text_file(folder_ / "request.json", json_text(request_)); !done) return done;
  const std::string text = request_.at("source").get<std::string>() + "\n";
  std::string source =
      is_cuda() ? for_nvrtc(request_, text) : "#include <hip/hip_runtime.h>\n#define __HIPCC_RTC__ 1\n" + text;
  size_t number = 0;
  // Taking an address makes clang instantiate the name. An unread constant leaves nothing in the code.
  for (const auto& name : request_.at("names"))
    source += "static __device__ constexpr auto kernloop_name_" + std::to_string(number++) + " = &" +
              name.get<std::string>() + ";\n";
  if (auto done = write_text_file(this->source(), source); !done) return done;
  for (const auto& header : request_.at("headers")) {
    const fs::path to = headers() / header.at("name").get<std::string>();
    if (auto made = make_folder(to.parent_path()); !made) return made;
    if (auto done = write_text_file(to, header.at("content").get<std::string>()); !done) return done;
  }
  if (!built_.empty()) return make_folder(built_ / "profiles");
  return kernloop::Unit{};
}

// Whether the file is below the app's folder, or in one that it named.
bool ProgramFolder::is_of_the_app(const fs::path& file) const {
  const fs::path stands = request_.value("folder", "");
  std::vector<fs::path> folders = {stands};
  const auto translated =
      is_cuda() ? words_of_nvrtc(request_.at("options")) : NvrtcOptions{request_.at("options"), false};
  if (translated) {
    for (const std::string& word : translated->words)
      if (word.starts_with("-I")) folders.push_back(stands / word.substr(2));
  }
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    if (folder.empty()) return false;
    const fs::path below = file.lexically_relative(folder.lexically_normal());
    return !below.empty() && *below.begin() != "..";
  });
}

bool ProgramFolder::has(const fs::path& code) const {
  const Json facts = this->facts(code);
  if (!facts.is_object() || digest_of_file(code) != facts.value("sha256", "")) return false;
  for (const auto& [file, digest] : facts.at("files").items()) {
    // Without a compiler here, another machine built it: files that it read may be missing here, and system headers
    // differ.
    if (config_->clang.empty() && !is_of_the_app(file)) continue;
    const auto now = digest_of_file(file);
    if (!now && config_->clang.empty()) continue;
    if (!now || !digest.is_string() || *now != digest.get_ref<const std::string&>()) return false;
  }
  return true;
}

Json ProgramFolder::facts(const fs::path& code) const {
  return read_json(facts_file(code));
}

Status ProgramFolder::keep(const fs::path& code, const fs::path& compiled, const std::set<fs::path>& read,
                           Json facts) const {
  facts["conditions"] = config_->conditions;
  facts["files"] = Json::object();
  for (const fs::path& file : read) {
    // Files of the program itself, whose digest names the folder.
    const fs::path below = file.lexically_relative(folder_);
    if (!below.empty() && *below.begin() != "..") continue;
    const auto digest = digest_of_file(file);
    if (!digest) return Error{"IO_ERROR", "the compiler read " + file.string() + ", which is gone", "run it again"};
    facts["files"][file.string()] = *digest;
  }
  const auto digest = digest_of_file(compiled);
  if (!digest) return Error{"IO_ERROR", "the compiler left no " + compiled.string(), kRemedy};
  facts["sha256"] = *digest;
  // Code that does not match its facts is made again: the order here depends on that.
  std::error_code problem;
  fs::remove(facts_file(code), problem);
  fs::rename(compiled, code, problem);
  if (problem) return cannot("rename to", code, problem);
  if (auto done = write_text_file(facts_file(code), json_text(facts, 1) + "\n"); !done) return done;
  return write_text_file(folder_ / "latest.json", Json{{"built", built_.filename().string()}}.dump() + "\n");
}

std::optional<CachedProfile> ProgramFolder::profile(const std::string& id) const {
  const fs::path folder = profile_folder(id);
  const fs::path raw = folder / "profile.profraw";
  const Json kernels = read_json(folder / "kernels.json");
  // Its name is its digest: a changed profile counts as missing.
  if (!kernels.is_array() || digest_of_profile(raw) != id) return std::nullopt;
  return CachedProfile{id, raw, kernels.get<std::set<std::string>>()};
}

std::vector<CachedProfile> ProgramFolder::profiles() const {
  std::set<std::string> names;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(built_ / "profiles", problem))
    names.insert(entry.path().filename().string());
  std::vector<CachedProfile> found;
  for (const std::string& name : names) {
    if (auto one = profile(name)) found.push_back(std::move(*one));
  }
  return found;
}

std::optional<CachedProfile> ProgramFolder::current() const {
  if (built_.empty()) return std::nullopt;
  const Json current = read_json(built_ / "current.json");
  const std::string id = current.is_object() ? current.value("profile", "") : "";
  return id.size() == 32 && stays_below(id) ? profile(id) : std::nullopt;
}

Status ProgramFolder::set_current(const std::string& id) const {
  return write_text_file(built_ / "current.json", json_text({{"profile", id}}) + "\n");
}

Status ProgramFolder::drop_current() const {
  std::error_code problem;
  fs::remove(built_ / "current.json", problem);
  if (problem) return cannot("remove", built_ / "current.json", problem);
  return kernloop::Unit{};
}

Result<CachedProfile> ProgramFolder::add_profile(const fs::path& raw, const std::set<std::string>& kernels) const {
  const std::string id = digest_of_profile(raw);
  if (id.empty()) return Error{"IO_ERROR", raw.string() + " is not whole", kRemedy};
  if (auto known = profile(id)) return *known;
  const fs::path folder = profile_folder(id);
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (auto made = make_folder(folder); !made) return made.error();
  if (auto done = write_text_file(folder / "kernels.json", json_text(kernels) + "\n"); !done) return done.error();
  for (const char* extension : kSideFiles) {
    const fs::path from = fs::path(raw).replace_extension(extension);
    fs::rename(from, folder / (std::string("profile") + extension), problem);
    if (problem) return cannot("rename", from, problem);
  }
  forget_oldest(built_ / "profiles");
  return CachedProfile{id, folder / "profile.profraw", kernels};
}

std::optional<CachedProfile> ProgramFolder::nearest(const fs::path& raw, const std::set<std::string>& kernels) const {
  const auto mine = counts_in(raw);
  std::optional<CachedProfile> found;
  uint32_t least = config_->bound;
  for (const CachedProfile& other : profiles()) {
    if (!mine || !std::includes(other.kernels.begin(), other.kernels.end(), kernels.begin(), kernels.end())) continue;
    const auto theirs = counts_in(other.raw);
    if (!theirs) continue;
    const uint32_t distance = std::max(distance_from(*theirs, *mine), distance_from(*mine, *theirs));
    if (distance > least || (found && distance == least && found->id < other.id)) continue;
    least = distance;
    found = other;
  }
  return found;
}

}  // namespace kernloop::pgo::runtime
