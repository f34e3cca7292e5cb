#include "replay/core/lenses/lens.h"

#include <algorithm>
#include <initializer_list>

#include "archive/files/file.h"
#include "archive/manifest/manifest.h"

namespace kernloop::replay {

namespace {

using archive::Json;

constexpr uint64_t kMaxLensFile = 1u << 20;
constexpr size_t kMaxName = 4096, kMaxId = 64;
constexpr const char* kSchema = "kernloop.lens/1";

Error malformed(const std::string& what) {
  return lens_invalid("the lens " + what,
                      "docs/contributing/seams.md has the format of a lens (" + std::string(kSchema) + ")");
}

// An object with these fields and no others.
Status check_fields(const Json& object, const std::string& where, std::initializer_list<const char*> known) {
  if (!object.is_object()) return malformed("has something else than an object as " + where);
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return malformed("has a field \"" + name.substr(0, kMaxId) + "\" in " + where + ", which is not known");
  }
  return Unit{};
}

std::optional<std::string> text_of(const Json& object, const char* field, size_t most) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  auto text = found->get<std::string>();
  if (text.empty() || text.size() > most || text.find('\0') != text.npos) return std::nullopt;
  return text;
}

std::optional<uint64_t> hex_of(const Json& object, const char* field, uint64_t most) {
  const auto text = text_of(object, field, kMaxId);
  const auto value = text ? from_hex_number(*text) : std::nullopt;
  return value && *value <= most ? value : std::nullopt;
}

// The values of a number or a list of numbers; empty for anything else.
std::vector<uint64_t> hexes_of(const Json& object, const char* field, uint64_t most) {
  std::vector<uint64_t> values;
  const auto found = object.find(field);
  if (found == object.end() || (found->is_array() && found->size() > kMaxLensValues)) return values;
  for (const Json& one : found->is_array() ? *found : Json::array({*found})) {
    const auto value = hex_of({{field, one}}, field, most);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

class LensReader {
 public:
  explicit LensReader(const Json& json) : json_(json) {}

  Result<Lens> read() {
    if (auto checked = check_fields(json_, "the file", {"schema", "variables", "buffers", "parameters"}); !checked)
      return checked.error();
    if (text_of(json_, "schema", kMaxId) != kSchema) return malformed("is not of schema " + std::string(kSchema));
    for (const auto& [list, read_one] :
         {std::pair{"variables", &LensReader::read_variable}, std::pair{"buffers", &LensReader::read_buffer},
          std::pair{"parameters", &LensReader::read_parameter}}) {
      const auto found = json_.find(list);
      if (found == json_.end()) continue;
      if (!found->is_array() || found->size() > kMaxLensEntries)
        return malformed("has something else than a list of at most " + std::to_string(kMaxLensEntries) + " as " +
                         list);
      for (size_t i = 0; i < found->size(); ++i) {
        const std::string where = std::string(list) + "[" + std::to_string(i) + "]";
        if (auto done = (this->*read_one)((*found)[i], where); !done) return done.error();
      }
    }
    if (lens_.variables.empty() && lens_.buffers.empty() && lens_.parameters.empty())
      return malformed("names no variable, no buffer and no parameter");
    return std::move(lens_);
  }

 private:
  Status read_variable(const Json& row, const std::string& where) {
    if (auto checked = check_fields(row, where, {"name", "prefix"}); !checked) return checked;
    const bool is_prefix = row.contains("prefix");
    const auto text = text_of(row, is_prefix ? "prefix" : "name", kMaxName);
    if (!text || row.size() != 1) return malformed("needs either a \"name\" or a \"prefix\" in " + where);
    lens_.variables.push_back({is_prefix, *text});
    return Unit{};
  }

  Status read_buffer(const Json& row, const std::string& where) {
    if (auto checked = check_fields(row, where, {"id", "bytes", "fill"}); !checked) return checked;
    LensBuffer buffer;
    const auto id = text_of(row, "id", kMaxId);
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (!id || !std::all_of(id->begin(), id->end(), is_plain))
      return malformed("needs an \"id\" of letters, digits, _ and - in " + where);
    buffer.id = *id;
    if (index_of(*id)) return malformed("has two buffers \"" + *id + "\"");
    const auto bytes = row.find("bytes");
    if (bytes == row.end() || !bytes->is_number_unsigned() || bytes->get<uint64_t>() == 0)
      return malformed("needs a number of \"bytes\" in " + where);
    buffer.bytes = bytes->get<uint64_t>();
    if (buffer.bytes > kMaxLensBufferBytes - buffer_bytes_)
      return malformed("asks for more than " + std::to_string(kMaxLensBufferBytes) + " bytes of buffers");
    buffer_bytes_ += buffer.bytes;
    if (row.contains("fill")) {
      const auto fill = hex_of(row, "fill", UINT8_MAX);
      if (!fill) return malformed("needs a byte as 0x.. for \"fill\" in " + where);
      buffer.fill = static_cast<uint8_t>(*fill);
    }
    lens_.buffers.push_back(std::move(buffer));
    return Unit{};
  }

  Status read_parameter(const Json& row, const std::string& where) {
    if (auto checked = check_fields(row, where, {"buffer", "u64", "u32"}); !checked) return checked;
    LensParameter parameter;
    if (row.size() == 1 && row.contains("buffer")) {
      const auto id = text_of(row, "buffer", kMaxId);
      parameter.buffer = id ? index_of(*id) : std::nullopt;
      if (!parameter.buffer) return malformed("has no buffer of the name in " + where);
    } else {
      parameter.bytes = row.contains("u32") ? 4 : 8;
      auto values = parameter.bytes == 4 ? hexes_of(row, "u32", UINT32_MAX) : hexes_of(row, "u64", UINT64_MAX);
      if (values.empty() || row.size() != 1)
        return malformed("needs one of \"buffer\", \"u64\" and \"u32\", numbers as 0x… or lists of at most " +
                         std::to_string(kMaxLensValues) + " of them, in " + where);
      parameter.values = std::move(values);
    }
    lens_.parameters.push_back(parameter);
    return Unit{};
  }

  std::optional<size_t> index_of(const std::string& id) const {
    for (size_t i = 0; i < lens_.buffers.size(); ++i) {
      if (lens_.buffers[i].id == id) return i;
    }
    return std::nullopt;
  }

  const Json& json_;
  Lens lens_;
  uint64_t buffer_bytes_ = 0;
};

}  // namespace

Result<Lens> read_lens(const std::filesystem::path& path) {
  auto text = archive::read_text(path, kMaxLensFile);
  if (!text) return text.error();
  return parse_lens(*text, path.string());
}

Result<Lens> parse_lens(std::string_view text, const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return lens_invalid(json.error().message, "write it again");
  return LensReader(*json).read();
}

}  // namespace kernloop::replay
