#include "trace/dmat.h"

#include <cerrno>
#include <cstdio>
#include <unordered_set>

namespace kernloop::trace {

namespace {

constexpr size_t kPairBytes = 12;
constexpr uint64_t kMostAccesses = uint64_t{1} << 27;  // held while they are sorted: 2 GiB
constexpr uint64_t kMostPages = uint64_t{1} << 26;

Error dmat_error(const std::string& what) {
  return {"TRACE_INVALID", what, "the .dmat file is cut off or damaged"};
}

// A file, read from its beginning to its end through one buffer.
class Stream {
 public:
  explicit Stream(const File& file) : file_(file) {}
  uint64_t left() const { return file_.bytes() - at_; }
  Result<const uint8_t*> take(size_t bytes) {
    if (buffer_.size() - used_ < bytes) {
      buffer_.resize(std::min<uint64_t>(left(), std::max<size_t>(bytes, kScanBytes)));
      used_ = 0;
      if (auto read = file_.read(at_, buffer_); !read) return read.error();
    }
    const uint8_t* taken = buffer_.data() + used_;
    used_ += bytes;
    at_ += bytes;
    return taken;
  }

 private:
  const File& file_;
  uint64_t at_ = 0;
  std::vector<uint8_t> buffer_;
  size_t used_ = 0;
};

uint64_t word_of(const uint8_t* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Status read_pairs(Stream& stream, const std::unordered_set<uint64_t>& pages, uint64_t index, uint64_t count,
                  Dmat& dmat) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto pair = stream.take(kPairBytes);
    if (!pair) return pair.error();
    if (!pages.contains(word_of(*pair))) {
      return dmat_error("clock " + std::to_string(index) + ": a page that is none of those listed");
    }
    uint32_t accesses;
    std::memcpy(&accesses, *pair + 8, sizeof accesses);
    dmat.accesses += accesses;
  }
  dmat.pairs += count;
  return Unit{};
}

}  // namespace

Result<Dmat> read_dmat(const std::filesystem::path& path) {
  const auto file = File::open(path);
  if (!file) return file.error();
  Stream stream(**file);
  if (stream.left() < 16)
    return dmat_error("the file has " + std::to_string(stream.left()) + " bytes, its counts are 16");
  const auto counts = stream.take(16);
  if (!counts) return counts.error();
  Dmat dmat{.pages = word_of(*counts), .clocks = word_of(*counts + 8)};
  if (dmat.pages > stream.left() / 8 || dmat.pages > kMostPages) {
    return dmat_error("num_pages is " + std::to_string(dmat.pages) + ", the file has " +
                      std::to_string((*file)->bytes()) + " bytes");
  }
  std::unordered_set<uint64_t> pages;
  for (uint64_t i = 0; i < dmat.pages; ++i) {
    const auto page = stream.take(8);
    if (!page) return page.error();
    if (!pages.insert(word_of(*page)).second) return dmat_error("page " + std::to_string(i) + " is listed twice");
  }
  for (uint64_t i = 0; i < dmat.clocks; ++i) {
    const std::string where = "clock " + std::to_string(i) + " of " + std::to_string(dmat.clocks);
    if (stream.left() < 16) return dmat_error(where + " (num_clocks): the file ends before");
    const auto head = stream.take(16);
    if (!head) return head.error();
    const uint64_t clock = word_of(*head), count = word_of(*head + 8);
    if (count > stream.left() / kPairBytes)
      return dmat_error(where + ": its size is " + std::to_string(count) + ", more than the file holds");
    dmat.first_clock = i ? std::min(dmat.first_clock, clock) : clock;
    dmat.last_clock = std::max(dmat.last_clock, clock);
    if (const Status read = read_pairs(stream, pages, i, count, dmat); !read) return read.error();
  }
  if (stream.left() != 0)
    return dmat_error("num_clocks is " + std::to_string(dmat.clocks) + ", and " + std::to_string(stream.left()) +
                      " bytes follow");
  return dmat;
}

Result<Dmat> write_dmat(const Trace& trace, size_t map, size_t clock, size_t address,
                        const std::filesystem::path& output) {
  const Field& clock_field = trace.maps[map].fields[clock];
  const Field& address_field = trace.maps[map].fields[address];
  Dmat dmat;
  std::vector<std::pair<uint64_t, uint64_t>> accesses;  // clock, page
  std::vector<uint64_t> pages;
  const Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint8_t* record = run.bytes + i * run.stride;
      if (is_empty(record, run.stride)) {
        ++dmat.empty;
        continue;
      }
      if (accesses.size() == kMostAccesses) {
        return Error{"FILE_TOO_LARGE", "more than " + std::to_string(kMostAccesses) + " accesses are in the trace",
                     "`kernloop trace analyze` draws a heat map of any number"};
      }
      accesses.emplace_back(value_at(record, clock_field), value_at(record, address_field) & ~(kDmatPageBytes - 1));
    }
    return Unit{};
  });
  if (!scanned) return scanned.error();
  std::sort(accesses.begin(), accesses.end());
  for (const auto& access : accesses) pages.push_back(access.second);
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  std::vector<uint8_t> bytes;
  const auto put = [&](auto value) {
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  };
  const auto begins_clock = [&](size_t i) { return i == 0 || accesses[i].first != accesses[i - 1].first; };
  for (size_t i = 0; i < accesses.size(); ++i) dmat.clocks += begins_clock(i);
  dmat.pages = pages.size();
  put(dmat.pages);
  put(dmat.clocks);
  for (const uint64_t page : pages) put(page);
  for (size_t i = 0; i < accesses.size();) {
    const size_t head = bytes.size();
    put(accesses[i].first);
    put(uint64_t{0});
    uint64_t count = 0;
    const uint64_t at = accesses[i].first;
    while (i < accesses.size() && accesses[i].first == at) {
      const uint64_t page = accesses[i].second;
      uint32_t times = 0;
      for (; i < accesses.size() && accesses[i] == std::pair(at, page); ++i) ++times;
      put(page);
      put(times);
      dmat.accesses += times;
      ++count;
    }
    std::memcpy(bytes.data() + head + 8, &count, sizeof count);
    dmat.pairs += count;
  }
  if (!accesses.empty()) dmat.first_clock = accesses.front().first, dmat.last_clock = accesses.back().first;
  std::FILE* file = std::fopen(output.c_str(), "wb");
  bool failed = !file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size();
  int why = failed ? errno : 0;
  if (file && std::fclose(file) != 0 && !failed) failed = true, why = errno;
  if (failed) {
    return Error{why == ENOSPC ? "DISK_FULL" : "IO_ERROR", output.string() + ": " + std::strerror(why),
                 "write to a folder with room"};
  }
  return dmat;
}

}  // namespace kernloop::trace
