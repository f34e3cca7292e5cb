#include "trace/export.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>

namespace kernloop::trace {

namespace {

// A file that is written in large pieces; the first failure is kept for close().
class Output {
 public:
  explicit Output(std::filesystem::path path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_) std::setvbuf(file_.get(), nullptr, _IOFBF, 1u << 18);
    error_ = file_ ? 0 : errno;
  }
  void write(const void* bytes, size_t size) {
    if (error_ == 0 && std::fwrite(bytes, 1, size, file_.get()) != size) error_ = errno;
  }
  template <typename Value>
  void value(Value value) {
    write(&value, sizeof value);
  }
  Status close() {
    if (file_ && std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0) return Unit{};
    return Error{error_ == ENOSPC ? "DISK_FULL" : "IO_ERROR", path_.string() + ": " + std::strerror(error_),
                 "export to a folder with room that can be written to"};
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  int error_ = 0;
};

class Text {
 public:
  Text(const Map& map, Format format) : map_(map), format_(format) {
    for (const char* name : kOrigin) keys_.push_back(key(name));
    for (const Field& field : map.fields) keys_.push_back(key(field.name));
  }

  std::string heading() const {
    if (format_ != Format::kCsv) return "";
    std::string line;
    for (const char* name : kOrigin) line += std::string(name) + ",";
    for (const Field& field : map_.fields) line += field.name + ",";
    line.back() = '\n';
    return line;
  }

  void row(Output& output, const std::array<uint64_t, 3>& origin, const uint8_t* record) {
    line_.clear();
    for (size_t i = 0; i < keys_.size(); ++i) {
      const uint64_t value = i < 3 ? origin[i] : value_at(record, map_.fields[i - 3]);
      char digits[20];
      const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
      if (format_ == Format::kCsv) {
        if (i) line_ += ',';
        line_.append(digits, end);
      } else {
        line_ += i ? ',' : '{';
        line_ += keys_[i];
        // Integers beyond a double's precision are text, as in every JSON of Kernloop; decided by column, so that a
        // column has one type.
        const bool is_text = i >= 3 && map_.fields[i - 3].bytes == 8;
        if (is_text) line_ += '"';
        line_.append(digits, end);
        if (is_text) line_ += '"';
      }
    }
    line_ += format_ == Format::kCsv ? "\n" : "}\n";
    output.write(line_.data(), line_.size());
  }

 private:
  static std::string key(const std::string& name) { return "\"" + name + "\":"; }

  const Map& map_;
  Format format_;
  std::vector<std::string> keys_;
  std::string line_;
};

// Calls each(block, unit, record, bytes) for the kept records.
template <typename Each>
Status each_record(const Trace& trace, size_t map, bool skip_empty, Exported& exported, Each each) {
  const Rows rows = rows_of(trace, map);
  return scan(trace, map, [&](const Run& run) -> Status {
    uint64_t record = run.row % rows.records, unit = run.row / rows.records % rows.units,
             block = run.row / rows.of_block();
    const uint8_t* at = run.bytes;
    for (uint64_t i = 0; i < run.count; ++i, at += run.stride) {
      if (skip_empty && is_empty(at, run.stride)) {
        ++exported.skipped;
      } else {
        ++exported.rows;
        each(std::array<uint64_t, 3>{block, unit, record}, at);
      }
      if (++record < rows.records) continue;
      record = 0;
      if (++unit < rows.units) continue;
      unit = 0;
      ++block;
    }
    return Unit{};
  });
}

Result<Exported> export_text(const Trace& trace, size_t map, Format format, const std::filesystem::path& folder,
                             bool skip_empty) {
  Exported exported;
  Output output(folder / (trace.maps[map].name + (format == Format::kCsv ? ".csv" : ".jsonl")));
  Text text(trace.maps[map], format);
  const std::string heading = text.heading();
  output.write(heading.data(), heading.size());
  const Status done = each_record(trace, map, skip_empty, exported,
                                  [&](const auto& origin, const uint8_t* record) { text.row(output, origin, record); });
  if (!done) return done.error();
  if (const Status closed = output.close(); !closed) return closed.error();
  exported.files = {output.path()};
  return exported;
}

Result<Exported> export_columns(const Trace& trace, size_t map, const std::filesystem::path& folder, bool skip_empty) {
  Exported exported;
  std::vector<std::unique_ptr<Output>> outputs;
  const auto add = [&](const std::string& name, uint32_t bytes) {
    outputs.push_back(
        std::make_unique<Output>(folder / (trace.maps[map].name + "." + name + (bytes == 4 ? ".u32" : ".u64"))));
  };
  for (const char* name : kOrigin) add(name, 8);
  const std::vector<Field>& fields = trace.maps[map].fields;
  for (const Field& field : fields) add(field.name, field.bytes);
  const Status done = each_record(trace, map, skip_empty, exported, [&](const auto& origin, const uint8_t* record) {
    for (size_t i = 0; i < 3; ++i) outputs[i]->value(origin[i]);
    for (size_t i = 0; i < fields.size(); ++i) outputs[3 + i]->write(record + fields[i].offset, fields[i].bytes);
  });
  if (!done) return done.error();
  for (const auto& output : outputs) {
    if (const Status closed = output->close(); !closed) return closed.error();
    exported.files.push_back(output->path());
  }
  return exported;
}

}  // namespace

Result<Exported> export_map(const Trace& trace, size_t map, Format format, const std::filesystem::path& folder,
                            bool skip_empty) {
  if (format == Format::kColumns) return export_columns(trace, map, folder, skip_empty);
  return export_text(trace, map, format, folder, skip_empty);
}

}  // namespace kernloop::trace
