#include "softgpu/engine/translate/translator.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "softgpu/engine/translate/compiler.h"
#include "softgpu/engine/translate/loaded_code.h"

namespace kernloop::softgpu {

namespace {

// LLVM's recursion, whatever the program's limit for its own threads.
constexpr size_t kThreadStackBytes = size_t{16} << 20;
// A module delays the program's end, and all of them need memory. What is over these bounds stays interpreted.
constexpr size_t kMostRequests = 4096, kMostOfModule = 16, kMostCodeBytes = size_t{128} << 20;

// CPU time of the program for each of translation, and what a module takes, with LLVM to be opened.
constexpr int64_t kShare = 10, kMillisecondsOfModule = 40;

int64_t milliseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

const TranslatedRun* RunTranslation::count_execution(const CodeRun& run) {
  // Executions of several threads may be counted as one: the threshold is no exact number.
  const uint32_t executions = executions_.load(std::memory_order_relaxed) + 1;
  const uint32_t threshold = translator_.options().threshold;
  executions_.store(executions, std::memory_order_relaxed);
  if (executions < threshold || !take_request()) return nullptr;
  const auto find = [&](uint64_t address) -> const CodeRun* {
    const CodeRun* const other = find_(address);
    if (!other || !other->translation) return nullptr;
    // Tests see more regions if runs are in several.
    if (translator_.options().waits) return other;
    const RunTranslation& its = *other->translation;
    const bool is_hot = its.executions_.load(std::memory_order_relaxed) >= threshold / 2;
    return is_hot && !its.is_requested_.load(std::memory_order_relaxed) ? other : nullptr;
  };
  translator_.request(runs_of_region(run, find), wave_size_, find_instruction_);
  return translated_.load(std::memory_order_acquire);
}

std::optional<Translator::Options> Translator::read_options(std::string_view text) {
  Options options;
  if (text == "on") return options;
  if (text == "now") return Options{.threshold = 1, .waits = true, .is_frugal = false};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.threshold);
  if (error != std::errc() || end != text.data() + text.size() || options.threshold == 0) return std::nullopt;
  options.is_frugal = false;
  return options;
}

Translator* Translator::shared() {
  // Never destroyed: its thread may outlive every other object.
  static Translator* const translator = []() -> Translator* {
    const char* text = std::getenv("KERNLOOP_SOFTGPU_TRANSLATE");
    const bool is_asked_for = text && *text != '\0';
    std::optional<Options> options = read_options(is_asked_for ? text : "on");
    if (!options || !LaneCompiler::is_built()) return nullptr;
    options->is_asked_for = is_asked_for;
    return new Translator(*options);
  }();
  // A child of fork has no thread of it, and its mutex may be held for ever.
  static const int forgets = translator ? ::pthread_atfork(nullptr, nullptr, [] { translator->is_broken_ = true; }) : 0;
  static_cast<void>(forgets);
  return translator;
}

void Translator::request(const std::vector<const CodeRun*>& runs, unsigned wave_size, const FindInstruction& find) {
  if (is_broken_.load(std::memory_order_relaxed)) return;
  try {
    queue(runs, wave_size, find);
  } catch (const std::exception& problem) {  // no memory, no thread
    stop(problem.what());
  }
}

void Translator::stop(const std::string& problem) {
  // Results are the same without it.
  if (!is_broken_.exchange(true) && options_.is_asked_for)
    std::fprintf(stderr, "kernloop softgpu: the translator stops: %s\n", problem.c_str());
  std::lock_guard lock(mutex_);
  requests_.clear();
  changed_.notify_all();
}

void Translator::queue(const std::vector<const CodeRun*>& runs, unsigned wave_size, const FindInstruction& find) {
  const std::string name = "region_" + std::to_string(functions_.fetch_add(1, std::memory_order_relaxed));
  Request request{write_region(runs, wave_size, name, find), {}};
  if (request.text.segments.empty()) return;
  for (uint32_t k = 0; k < runs.size(); ++k) {
    if (k == 0 || runs[k]->translation->take_request()) request.entries.push_back({k, runs[k]->translation});
  }
  std::unique_lock lock(mutex_);
  if (requests_.size() >= kMostRequests || LoadedCode::all_bytes() >= kMostCodeBytes) return;
  requests_.push_back(std::move(request));
  const uint64_t number = ++asked_;
  if (!std::exchange(has_thread_, true)) start_thread();
  changed_.notify_all();
  if (options_.waits)
    changed_.wait(lock, [&] { return done_ >= number || is_broken_.load(std::memory_order_relaxed); });
}

void Translator::start_thread() {
  // The thread lives as long as the process, so that its code must not be unloaded.
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&kThreadStackBytes), &self) != 0 && self.dli_fname)
    ::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The program's handlers of signals run on its own threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const auto run = [](void* translator) -> void* {
    static_cast<Translator*>(translator)->work();
    return nullptr;
  };
  const int problem = ::pthread_create(&thread, &attributes, run, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "its thread");
}

// A short program pays nothing: it has ended before. LLVM is not even opened.
void Translator::wait_for_its_share() {
  for (;;) {
    const int64_t spent = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) + kMillisecondsOfModule;
    const int64_t missing = kShare * spent - milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (missing <= 0) return;
    // Several threads may spend it sooner.
    ::usleep(static_cast<useconds_t>(std::clamp<int64_t>(missing / 4, 2, 50) * 1000));
  }
}

void Translator::work() {
  while (!is_broken_.load(std::memory_order_relaxed)) {
    std::vector<Request> requests;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !requests_.empty(); });
      lock.unlock();
      if (options_.is_frugal) wait_for_its_share();
      lock.lock();
      const auto end = requests_.begin() + static_cast<ptrdiff_t>(std::min(requests_.size(), kMostOfModule));
      requests.assign(std::move_iterator(requests_.begin()), std::move_iterator(end));
      requests_.erase(requests_.begin(), end);
    }
    if (requests.empty()) continue;  // they were dropped meanwhile
    try {
      translate(requests);
    } catch (const std::exception& problem) {
      stop(problem.what());
    }
    std::lock_guard lock(mutex_);
    done_ += requests.size();
    changed_.notify_all();
  }
}

void Translator::translate(std::span<Request> requests) {
  ModuleText module;
  for (const Request& request : requests) module.add(request.text.module);
  std::string problem;
  const std::string object = LaneCompiler().compile(module.text(), problem);
  const std::shared_ptr<const LoadedCode> code = object.empty() ? nullptr : LoadedCode::load(object, problem);
  if (!code) return stop(problem);
  for (Request& request : requests) {
    TranslatedRegion& region = *request.text.region;
    region.code = code;
    region.function = reinterpret_cast<RegionFn>(code->symbol(request.text.name));
    for (size_t k = 0; k < region.segments.size(); ++k)
      region.segments[k].set(reinterpret_cast<SegmentFn>(code->symbol(request.text.segments[k])));
    for (const Request::Entry& entry : request.entries)
      entry.translation->set(std::make_unique<TranslatedRun>(region.function, entry.number, request.text.region));
  }
}

}  // namespace kernloop::softgpu
