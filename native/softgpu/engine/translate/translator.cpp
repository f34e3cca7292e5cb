#include "softgpu/engine/translate/translator.h"

#include <pthread.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "softgpu/engine/translate/compiler.h"
#include "softgpu/engine/translate/loaded_code.h"

namespace kernloop::softgpu {

const TranslatedRun* RunTranslation::at_execution(const CodeRun& run) {
  if (const TranslatedRun* translated = translated_.load(std::memory_order_acquire)) return translated;
  // Executions of several threads may be counted as one: the threshold is no exact number.
  const uint32_t executions = executions_.load(std::memory_order_relaxed) + 1;
  if (executions > translator_.options().threshold) return nullptr;
  executions_.store(executions, std::memory_order_relaxed);
  if (executions < translator_.options().threshold || is_requested_.exchange(true)) return nullptr;
  translator_.request(run, wave_size_, run.translation);
  return translated_.load(std::memory_order_acquire);
}

std::optional<Translator::Options> Translator::read_options(std::string_view text) {
  Options options;
  if (text == "on") return options;
  if (text == "now") return Options{1, true};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.threshold);
  if (error != std::errc() || end != text.data() + text.size() || options.threshold == 0) return std::nullopt;
  return options;
}

Translator* Translator::shared() {
  // Never destroyed: its thread may outlive every other object.
  static Translator* const translator = []() -> Translator* {
    const char* text = std::getenv("KERNLOOP_SOFTGPU_TRANSLATE");
    const std::optional<Options> options = read_options(text ? text : "");
    return options && LaneCompiler::is_here() ? new Translator(*options) : nullptr;
  }();
  return translator;
}

void Translator::request(const CodeRun& run, unsigned wave_size, std::shared_ptr<RunTranslation> translation) {
  if (is_broken_.load(std::memory_order_relaxed)) return;
  try {
    queue(run, wave_size, std::move(translation));
  } catch (const std::exception& problem) {  // no memory, no thread
    stop(problem.what());
  }
}

void Translator::stop(const std::string& problem) {
  // Results are the same without it.
  if (!is_broken_.exchange(true)) std::fprintf(stderr, "kernloop softgpu: the translator stops: %s\n", problem.c_str());
}

void Translator::queue(const CodeRun& run, unsigned wave_size, std::shared_ptr<RunTranslation> translation) {
  Request request{{}, find_segments(run.steps, wave_size), {}, std::move(translation)};
  if (request.segments.empty()) return;
  for (Segment& segment : request.segments) {
    request.names.push_back("segment_" + std::to_string(functions_.fetch_add(1, std::memory_order_relaxed)));
    request.module.add(segment, wave_size, request.names.back());
    segment.steps.clear();
  }
  if (options_.waits) return translate({&request, 1});
  std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  if (!std::exchange(has_thread_, true)) std::thread([this] { work(); }).detach();
  changed_.notify_one();
}

void Translator::work() {
  // The program's handlers of signals run on its own threads.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!is_broken_.load(std::memory_order_relaxed)) {
    std::vector<Request> requests;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !requests_.empty(); });
      requests.swap(requests_);
    }
    try {
      translate(requests);
    } catch (const std::exception& problem) {
      stop(problem.what());
    }
  }
}

void Translator::translate(std::span<Request> requests) {
  ModuleText module;
  for (const Request& request : requests) module.add(request.module);
  std::string problem;
  const std::string object = LaneCompiler().compile(module.text(), problem);
  const std::shared_ptr<const LoadedCode> code = object.empty() ? nullptr : LoadedCode::load(object, problem);
  if (!code) return stop(problem);
  for (Request& request : requests) {
    auto translated = std::make_unique<TranslatedRun>();
    translated->code = code;
    for (size_t k = 0; k < request.segments.size(); ++k) {
      const auto function = reinterpret_cast<SegmentFn>(code->symbol(request.names[k]));
      if (function) translated->segments.emplace_back(request.segments[k], function);
    }
    request.translation->set(std::move(translated));
  }
}

}  // namespace kernloop::softgpu
