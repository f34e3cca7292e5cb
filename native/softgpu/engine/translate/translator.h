// Translation of hot runs, on a thread of its own: nobody waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "softgpu/engine/translate/region.h"

namespace kernloop::softgpu {

class Translator;

// Translation of one run. The thread that makes it shares it with the run, which may be gone first.
class RunTranslation {
 public:
  // `find`: a run that is prepared, while this one is executed; `find_instruction`: any instruction of the code that
  // changes only together with the run.
  RunTranslation(Translator& translator, unsigned wave_size, FindRun find, FindInstruction find_instruction)
      : translator_(translator),
        wave_size_(wave_size),
        find_(std::move(find)),
        find_instruction_(std::move(find_instruction)) {}
  ~RunTranslation() { delete translated_.load(); }
  RunTranslation(const RunTranslation&) = delete;
  RunTranslation& operator=(const RunTranslation&) = delete;

  // The translation of the run, whose next execution this is; nullptr as long as there is none.
  const TranslatedRun* at_execution(const CodeRun& run);
  // Afterwards nobody else asks for it.
  bool take_request() { return !is_requested_.load(std::memory_order_relaxed) && !is_requested_.exchange(true); }
  void set(std::unique_ptr<const TranslatedRun> translated) {
    translated_.store(translated.release(), std::memory_order_release);
  }

 private:
  const TranslatedRun* count_execution(const CodeRun& run);

  Translator& translator_;
  const unsigned wave_size_;
  const FindRun find_;
  const FindInstruction find_instruction_;
  std::atomic<const TranslatedRun*> translated_{nullptr};
  std::atomic<uint32_t> executions_{0};
  std::atomic<bool> is_requested_{false};
};

inline const TranslatedRun* RunTranslation::at_execution(const CodeRun& run) {
  const TranslatedRun* const translated = translated_.load(std::memory_order_acquire);
  return translated ? translated : count_execution(run);
}

class Translator {
 public:
  struct Options {
    uint32_t threshold = 4096;  // executions of a run before it is translated
    bool waits = false;         // the execution that asks for a translation waits for it (tests)
    bool is_frugal = true;      // a tenth of the program's CPU time is enough for translation
    bool is_asked_for = true;   // by the variable: then it says why it stops
  };
  // The value of KERNLOOP_SOFTGPU_TRANSLATE: "on", "off", a threshold, or "now", which translates every run before its
  // first execution. nullopt: off, or none of these.
  static std::optional<Options> read_options(std::string_view text);
  // By that variable; nullptr if it is off or this build has no translator. Whether the machine has an LLVM is found
  // out when a run is hot.
  static Translator* shared();

  explicit Translator(Options options) : options_(options) {}
  const Options& options() const { return options_; }
  // The runs of a region.
  void request(const std::vector<const CodeRun*>& runs, unsigned wave_size, const FindInstruction& find);

 private:
  // The instructions of the runs may be gone when they are translated: their text is made at once.
  struct Request {
    RegionText text;
    struct Entry {
      uint32_t number;
      std::shared_ptr<RunTranslation> translation;
    };
    std::vector<Entry> entries;
  };
  void queue(const std::vector<const CodeRun*>& runs, unsigned wave_size, const FindInstruction& find);
  void start_thread();
  void wait_for_its_share();
  void stop(const std::string& problem);
  void work();
  void translate(std::span<Request> requests);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Request> requests_;
  uint64_t asked_ = 0, done_ = 0;  // requests
  bool has_thread_ = false;
  std::atomic<uint64_t> functions_{0};
  std::atomic<bool> is_broken_{false};
};

}  // namespace kernloop::softgpu
