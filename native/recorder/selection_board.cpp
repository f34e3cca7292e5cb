#include "recorder/selection_board.h"

namespace kernloop::recorder {

using archive::Json;

Status SelectionBoard::claim_outputs() {
  std::lock_guard lock(mutex_);
  entries_.resize(config_.selections.size());
  if (config_.mode == capture::Mode::kProfile) return Unit{};
  for (size_t i = 0; i < entries_.size(); ++i) {
    auto folder = OutputFolder::claim(config_.selections[i].output);
    if (!folder) return folder.error();
    entries_[i].folder = std::move(*folder);
  }
  return Unit{};
}

OutputFolder* SelectionBoard::begin(uint32_t selection, pid_t pid, pid_t* owner) {
  std::lock_guard lock(mutex_);
  if (selection >= entries_.size()) return nullptr;
  Entry& entry = entries_[selection];
  *owner = entry.owner;
  if (entry.state != State::kOpen) return nullptr;
  entry.state = State::kInWork;
  entry.owner = pid;
  return entry.folder.get();
}

void SelectionBoard::captured(uint32_t selection, Json event) {
  {
    std::lock_guard lock(mutex_);
    entries_[selection].state = State::kCaptured;
    entries_[selection].violation.reset();
    event["pid"] = entries_[selection].owner;
  }
  event["id"] = config_.selections[selection].id;
  event["output"] = config_.selections[selection].output.string();
  events_.print("captured", std::move(event));
}

void SelectionBoard::print_refusal(uint32_t selection, const Error& why) {
  events_.print("refused", {{"id", config_.selections[selection].id},
                            {"pid", owner_of(selection)},
                            {"code", why.code},
                            {"reason", why.message},
                            {"hint", why.hint}});
}

pid_t SelectionBoard::owner_of(uint32_t selection) const {
  std::lock_guard lock(mutex_);
  return entries_[selection].owner;
}

void SelectionBoard::refused(uint32_t selection, const Error& why) {
  {
    std::lock_guard lock(mutex_);
    Entry& entry = entries_[selection];
    if (entry.folder) entry.folder->discard();
    entry.state = State::kRefused;
  }
  print_refusal(selection, why);
}

void SelectionBoard::violated(uint32_t selection, Json regions, const Error& why) {
  {
    std::lock_guard lock(mutex_);
    Entry& entry = entries_[selection];
    if (entry.folder) entry.folder->discard();
    entry.state = State::kOpen;
    entry.violation = why;
  }
  events_.print(
      "scope_violation",
      {{"id", config_.selections[selection].id}, {"pid", owner_of(selection)}, {"regions", std::move(regions)}});
}

void SelectionBoard::close() {
  std::vector<std::pair<uint32_t, Error>> late;
  {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      if (entry.state == State::kOpen && entry.violation) {
        entry.state = State::kRefused;
        late.emplace_back(i, *entry.violation);
      }
      entry.folder.reset();
    }
  }
  for (const auto& [selection, why] : late) print_refusal(selection, why);
}

Json SelectionBoard::ids_in(State state) const {
  std::lock_guard lock(mutex_);
  Json ids = Json::array();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].state == state) ids.push_back(config_.selections[i].id);
  }
  return ids;
}

Json SelectionBoard::captured_ids() const {
  return ids_in(State::kCaptured);
}
Json SelectionBoard::refused_ids() const {
  return ids_in(State::kRefused);
}

}  // namespace kernloop::recorder
