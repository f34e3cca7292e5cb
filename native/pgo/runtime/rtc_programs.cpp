#include "pgo/runtime/rtc_programs.h"

#include <elf.h>

#include <algorithm>
#include <filesystem>

#include "elf/image.h"

namespace kernloop::pgo::runtime {

namespace {

// Options that name files relative to the app's folder.
bool looks_for_files(const std::string& option) {
  return option.starts_with("-I") || option.starts_with("-i") || option.starts_with("--include") ||
         option.starts_with("@");
}

std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RtcProgram RtcProgram::made_of(const char* source, const char* name, int headers, const char* const* contents,
                               const char* const* names) {
  RtcProgram made;
  made.source = source;
  if (name) made.name = name;
  for (int i = 0; i < headers; ++i) made.headers.emplace_back(names ? names[i] : "", contents[i]);
  return made;
}

std::optional<std::string> RtcProgram::request(const std::string& target) const {
  nlohmann::json json = {{"source", source},
                         {"headers", nlohmann::json::array()},
                         {"options", options},
                         {"names", expressions},
                         {"target", target}};
  for (const auto& [header, content] : headers) json["headers"].push_back({{"name", header}, {"content", content}});
  std::error_code problem;
  if (std::any_of(options.begin(), options.end(), looks_for_files))
    json["folder"] = std::filesystem::current_path(problem).string();
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string target_of_code(Bytes code_object) {
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";
  const std::string_view text = as_text(code_object);
  const size_t at = text.find(kTriple);
  if (at == text.npos) return "";
  const size_t begin = at + kTriple.size();
  const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+-", begin);
  const std::string target(text.substr(begin, std::min<size_t>(end, begin + 64) - begin));
  return target.starts_with("gfx") ? target : "";
}

std::string variable_in_code(Bytes code_object) {
  const auto image = elf::Image::parse(code_object, "code of the app");
  const auto symbols = image ? image->symbols(SHT_DYNSYM) : Result<std::vector<elf::Symbol>>(image.error());
  if (!symbols) return "(" + symbols.error().message + ")";
  for (const elf::Section& section : image->sections()) {
    const bool data = section.name.starts_with(".data") && !section.name.starts_with(".data.rel.ro");
    if ((data || section.name.starts_with(".bss")) && section.size > 0 && (section.flags & SHF_ALLOC)) {
      // Sections that only the compiler fills have a symbol that shows it.
      const bool own = std::any_of(symbols->begin(), symbols->end(), [&](const elf::Symbol& symbol) {
        return symbol.name.starts_with("__hip_cuid_") && symbol.size == section.size;
      });
      if (!own) return std::string(section.name);
    }
  }
  for (const elf::Symbol& symbol : *symbols) {
    if (symbol.section == SHN_UNDEF || symbol.type != STT_OBJECT || symbol.name.ends_with(".kd")) continue;
    // Nobody sets constants that every unit may define; HIPRTC's own hold addresses of kernels.
    if (symbol.binding == STB_WEAK || symbol.name.starts_with("__hiprtc_") || symbol.name.starts_with("__hip_cuid_"))
      continue;
    return std::string(symbol.name);
  }
  return "";
}

void RtcPrograms::created(void* program, RtcProgram what) {
  const std::lock_guard lock(mutex_);
  programs_[program] = std::make_shared<RtcProgram>(std::move(what));
}

void RtcPrograms::expression(void* program, const char* text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = programs_.find(program); found != programs_.end() && text)
    found->second->expressions.push_back(text);
}

void RtcPrograms::compiled(void* program, std::span<const char* const> options) {
  const std::lock_guard lock(mutex_);
  if (const auto found = programs_.find(program); found != programs_.end())
    found->second->options.assign(options.begin(), options.end());
}

void RtcPrograms::gave_code(void* program, Bytes code) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end()) return;
  by_code_[std::string(as_text(code))] = std::make_shared<const RtcProgram>(*found->second);
}

void RtcPrograms::destroyed(void* program) {
  const std::lock_guard lock(mutex_);
  programs_.erase(program);
}

std::shared_ptr<const RtcProgram> RtcPrograms::program_of(Bytes code_object) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_code_.find(as_text(code_object));
  return found == by_code_.end() ? nullptr : found->second;
}

}  // namespace kernloop::pgo::runtime
