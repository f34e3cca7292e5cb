#include "capture/nvrtc/program_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace kernloop::nvrtc {
namespace {

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t word = 0;
    const size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    for (size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? digits[word >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

/// Bytes of the UTF-8 sequence at the start; 0 if there is none.
size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF0 && byte(1) < 0x90) ||
      (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return size;
}

/// Appends a JSON string; false if it is not UTF-8.
bool append_string(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) {
    const size_t size = utf8_sequence(text);
    if (size == 0) return false;
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (first == '"' || first == '\\') json += '\\';
    if (first < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", first);
      json += escape;
    } else {
      json += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  json += '"';
  return true;
}

bool append_list(std::string& json, const std::vector<std::string>& list) {
  json += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) json += ',';
    if (!append_string(json, list[i])) return false;
  }
  json += ']';
  return true;
}

bool append_headers(std::string& json, const std::vector<Header>& headers) {
  json += '[';
  for (size_t i = 0; i < headers.size(); ++i) {
    json += i > 0 ? ",{\"name\":" : "{\"name\":";
    if (!append_string(json, headers[i].name)) return false;
    json += ",\"content\":\"" + base64(headers[i].content) + "\"}";
  }
  json += ']';
  return true;
}

bool append_optional(std::string& json, std::string_view text, bool present) {
  if (present) return append_string(json, text);
  json += "null";
  return true;
}

std::string write_file(const std::string& path, std::string_view content) {
  const std::string partial = path + ".partial";
  const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::string problem;
  while (file >= 0 && problem.empty() && !content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      problem = std::strerror(errno);
    else
      content.remove_prefix(static_cast<size_t>(written));
  }
  if (file < 0) problem = std::strerror(errno);
  if (file >= 0 && close(file) != 0 && problem.empty()) problem = std::strerror(errno);
  if (problem.empty() && rename(partial.c_str(), path.c_str()) != 0) problem = std::strerror(errno);
  if (problem.empty()) return {};
  unlink(partial.c_str());
  return path + ": " + problem;
}

}  // namespace

size_t ProgramRecord::bytes() const {
  size_t sum = source.size() + (name ? name->size() : 0);
  for (const auto& header : headers) sum += header.name.size() + header.content.size();
  for (const auto& option : options) sum += option.size();
  for (const auto& expression : name_expressions) sum += expression.size();
  return sum;
}

std::optional<std::string> to_json(const ProgramRecord& program, std::string_view cubin_file,
                                   std::string_view ptx_file) {
  std::string json = "{\"schema\":\"kernloop.nvrtc-program/1\",\"library\":";
  bool is_text = append_string(json, program.library);
  json += ",\"version\":[" + std::to_string(program.version_major) + "," + std::to_string(program.version_minor) + "]";
  json += ",\"name\":";
  is_text = is_text && append_optional(json, program.name.value_or(""), program.name.has_value());
  json += ",\"source\":\"" + base64(program.source) + "\",\"headers\":";
  is_text = is_text && append_headers(json, program.headers);
  json += ",\"options\":";
  is_text = is_text && append_list(json, program.options);
  json += ",\"name_expressions\":";
  is_text = is_text && append_list(json, program.name_expressions);
  json += ",\"cubin\":";
  is_text = is_text && append_optional(json, cubin_file, !cubin_file.empty());
  json += ",\"ptx\":";
  is_text = is_text && append_optional(json, ptx_file, !ptx_file.empty());
  json += "}\n";
  if (!is_text) return std::nullopt;
  return json;
}

std::string write_record(const std::string& folder, const std::string& stem, const ProgramRecord& program,
                         std::string_view cubin, std::string_view ptx) {
  const std::string cubin_file = cubin.empty() ? "" : stem + ".cubin";
  const std::string ptx_file = ptx.empty() ? "" : stem + ".ptx";
  const auto json = to_json(program, cubin_file, ptx_file);
  if (!json) return "a name or an option is no UTF-8";
  std::string problem;
  if (!cubin_file.empty()) problem = write_file(folder + "/" + cubin_file, cubin);
  if (problem.empty() && !ptx_file.empty()) problem = write_file(folder + "/" + ptx_file, ptx);
  if (problem.empty()) problem = write_file(folder + "/" + stem + ".json", *json);
  return problem;
}

}  // namespace kernloop::nvrtc
