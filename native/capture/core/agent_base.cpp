#include "capture/core/agent_base.h"

#include <unistd.h>

#include <algorithm>

#include "capture/core/connection.h"

namespace kernloop::capture {
namespace {

constexpr size_t kMatchBatch = 512;

}  // namespace

AgentBase::AgentBase(std::unique_ptr<RecorderClient> client, std::string log_pattern)
    : recorder(std::move(client)), welcome(recorder->welcome()), pid_(getpid()) {
  log.open_as(std::move(log_pattern));
  static_assert(kRingSelections == kMaxSelections);
  selections.configure(profiling() ? std::vector<SelectionRequest>() : welcome.selections, recorder->matches());
}

void AgentBase::retire(const char* why) {
  if (active_.exchange(false, std::memory_order_relaxed)) log.alarm("capture stopped, the program goes on: %s", why);
}

void AgentBase::note(const char* code, const std::string& text) {
  log.line("%s: %s", code, text.c_str());
  NoteMessage message{code, text.substr(0, kMaxReasonBytes)};
  recorder->send(FrameType::kNote, message.encode());
}

void AgentBase::say_goodbye() {
  recorder->send(FrameType::kGoodbye, Encoded());
  active_.store(false, std::memory_order_relaxed);
}

void AgentBase::abandon_after_fork() {
  active_.store(false, std::memory_order_relaxed);
  forked_.store(true, std::memory_order_relaxed);
  recorder->abandon_after_fork();
  log.after_fork_in_child();
}

void AgentBase::on_use_after_fork() noexcept try {
  if (!forked_.load(std::memory_order_relaxed) || !forked_.exchange(false)) return;
  const std::string text = "this process was forked from process " + std::to_string(pid_) +
                           ", which had the GPU open, and uses the GPU with what it inherited";
  log.line("FORKED_AFTER_INIT: %s", text.c_str());
  const Connection connection = connect_to_recorder({});
  if (connection.recorder != nullptr) decline(*connection.recorder, "FORKED_AFTER_INIT", text);
} catch (const std::exception&) {
  // No memory to say so.
}

void AgentBase::send_code_object(uint32_t object, std::span<const uint8_t> bytes) {
  recorder->send(FrameType::kCodeObject, CodeObjectMessage{object, bytes.size()}.encode());
  for (size_t at = 0; at < bytes.size(); at += kMaxBulkBytes) {
    const auto piece = bytes.subspan(at, std::min<size_t>(kMaxBulkBytes, bytes.size() - at));
    recorder->send(FrameType::kCodeObjectBytes, BulkHeader{0, object, at}.encode(), piece);
  }
}

void AgentBase::ask_for_masks(const std::vector<std::string>& symbols) {
  for (size_t at = 0; at < symbols.size(); at += kMatchBatch) {
    MatchMessage message;
    const size_t end = std::min(symbols.size(), at + kMatchBatch);
    for (size_t i = at; i < end; ++i) message.symbols.push_back(symbols[i].substr(0, kMaxSymbolBytes));
    const auto reply = recorder->request<MatchReply>(FrameType::kMatch, [&](uint32_t request) {
      message.request = request;
      return message;
    });
    if (!reply || reply->selections.size() != message.symbols.size()) {
      retire(recorder->why_lost());
      return;
    }
    std::lock_guard lock(masks_mutex_);
    for (size_t i = at; i < end; ++i) masks_[symbols[i]] = reply->selections[i - at];
  }
}

uint64_t AgentBase::selections_of(const std::string& symbol) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      std::lock_guard lock(masks_mutex_);
      const auto known = masks_.find(symbol);
      if (known != masks_.end()) return known->second;
    }
    if (attempt == 0) ask_for_masks({symbol});
  }
  return 0;
}

bool AgentBase::any_wanted(const std::unordered_set<std::string>& symbols) {
  if (profiling()) return true;
  std::vector<std::string> unknown;
  {
    std::lock_guard lock(masks_mutex_);
    std::copy_if(symbols.begin(), symbols.end(), std::back_inserter(unknown),
                 [&](const std::string& symbol) { return !masks_.contains(symbol); });
  }
  ask_for_masks(unknown);
  std::lock_guard lock(masks_mutex_);
  return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
    const auto known = masks_.find(symbol);
    return known == masks_.end() || known->second != 0;
  });
}

const KernelEntry* AgentBase::learn_kernel(uint64_t key, const Resolve& resolve) {
  std::lock_guard lock(learn_mutex_);
  if (const KernelEntry* known = kernels.find(key)) return known;
  auto entry = std::make_unique<KernelEntry>();
  entry->key = key;
  entry->id = next_kernel_++;
  entry->dispatches = recorder->counter(entry->id);
  if (entry->id < kMaxKernels) {
    ask_about(*entry, resolve);
  } else if (entry->id == kMaxKernels) {
    note("TOO_MANY_KERNELS", "only the first 65536 kernels of a process are looked at");
  }
  return kernels.insert(std::move(entry));
}

void AgentBase::ask_about(KernelEntry& entry, const Resolve& resolve) {
  const Result<ResolvedKernel> resolved = resolve();
  if (!resolved) {
    note(resolved.error().code.c_str(), resolved.error().message);
    return;
  }
  entry.symbol = resolved->symbol;
  const auto reply = recorder->request<KernelReply>(FrameType::kKernel, [&](uint32_t request) {
    return KernelMessage{request, entry.id, resolved->kernel_object, entry.symbol, resolved->objects};
  });
  if (reply) {
    entry.selections = reply->selections;
    entry.gates = reply->gates;
    entry.identity = reply->identity;
  } else {
    retire(recorder->why_lost());
  }
}

}  // namespace kernloop::capture
