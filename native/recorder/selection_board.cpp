#include "recorder/selection_board.h"

#include <algorithm>

namespace kernloop::recorder {

using archive::Json;

std::filesystem::path SelectionBoard::output_of(const CaptureKey& key) const {
  const Selection& selection = config_.selections[key.selection];
  if (selection.outputs) return *selection.outputs / std::to_string(key.ordinal);
  return selection.output.value_or(std::filesystem::path());
}

// Attempts whose scope was too small are counted separately.
uint64_t SelectionBoard::most_slots(uint32_t selection) const {
  return config_.selections[selection].request.limit + protocol::kMaxWidenings;
}

SelectionBoard::Slot& SelectionBoard::slot_of(const CaptureKey& key) {
  return entries_[key.selection].slots[has_several(key.selection) ? key.ordinal : 0];
}

Status SelectionBoard::claim_outputs() {
  std::vector<std::pair<CaptureKey, Error>> failed;
  {
    std::lock_guard lock(mutex_);
    entries_.resize(config_.selections.size());
    if (config_.mode == protocol::Mode::kProfile || config_.dry_run) return Unit{};
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      if (!config_.selections[i].output) continue;
      Slot& slot = slot_of({i, 0});
      auto folder = OutputFolder::claim(*config_.selections[i].output);
      if (folder) {
        slot.folder = std::move(*folder);
      } else {
        slot.state = State::kRefused;
        failed.emplace_back(CaptureKey{i, 0}, folder.error());
      }
    }
  }
  if (!failed.empty() && failed.size() == entries_.size()) return failed.front().second;
  for (const auto& [key, why] : failed) print_refusal(key, why);
  return Unit{};
}

OutputFolder* SelectionBoard::begin(const CaptureKey& key, pid_t by, pid_t* owner) {
  auto folder = open(key, by, owner);
  if (folder) return *folder;
  refused(key, folder.error());
  return nullptr;
}

Result<OutputFolder*> SelectionBoard::open(const CaptureKey& key, pid_t by, pid_t* owner) {
  std::lock_guard lock(mutex_);
  if (key.selection >= entries_.size()) return nullptr;
  Entry& entry = entries_[key.selection];
  *owner = entry.owner;
  if (has_several(key.selection)) {
    if (entry.owner != 0 && entry.owner != by) return nullptr;
    if (!entry.slots.contains(key.ordinal) && entry.slots.size() >= most_slots(key.selection)) return nullptr;
  }
  Slot& slot = slot_of(key);
  if (slot.state != State::kOpen) return nullptr;
  if (!slot.folder) {
    auto claimed = config_.dry_run ? Result(OutputFolder::nowhere()) : OutputFolder::claim(output_of(key));
    if (!claimed) return claimed.error();
    slot.folder = std::move(*claimed);
  }
  slot.state = State::kInWork;
  slot.ordinal = key.ordinal;
  entry.owner = by;
  return slot.folder.get();
}

void SelectionBoard::captured(const CaptureKey& key, Json event) {
  {
    std::lock_guard lock(mutex_);
    Slot& slot = slot_of(key);
    slot.state = State::kCaptured;
    slot.violation.reset();
    if (has_several(key.selection)) slot.folder.reset();
    event["pid"] = entries_[key.selection].owner;
  }
  event["id"] = config_.selections[key.selection].id;
  event["ordinal"] = key.ordinal;
  if (!config_.dry_run) event["output"] = output_of(key).string();
  events_.print(config_.dry_run ? RecorderEvent::planned : RecorderEvent::captured, std::move(event));
}

void SelectionBoard::print_refusal(const CaptureKey& key, const Error& why) {
  Json event = {{"id", config_.selections[key.selection].id},
                {"pid", owner_of(key.selection)},
                {"code", why.code},
                {"reason", why.message},
                {"hint", why.hint}};
  if (key.ordinal != 0) event["ordinal"] = key.ordinal;
  events_.print(RecorderEvent::refused, std::move(event));
}

pid_t SelectionBoard::owner_of(uint32_t selection) const {
  std::lock_guard lock(mutex_);
  return entries_[selection].owner;
}

void SelectionBoard::refused(const CaptureKey& key, const Error& why) {
  {
    std::lock_guard lock(mutex_);
    Slot& slot = slot_of(key);
    if (slot.folder) slot.folder->discard();
    if (has_several(key.selection)) slot.folder.reset();
    slot.state = State::kRefused;
  }
  print_refusal(key, why);
}

void SelectionBoard::violated(const CaptureKey& key, Json event, const Error& why) {
  {
    std::lock_guard lock(mutex_);
    Slot& slot = slot_of(key);
    if (slot.folder) slot.folder->discard();
    slot.state = State::kOpen;
    slot.violation = why;
  }
  event["id"] = config_.selections[key.selection].id;
  event["ordinal"] = key.ordinal;
  event["pid"] = owner_of(key.selection);
  events_.print(RecorderEvent::scope_violation, std::move(event));
}

void SelectionBoard::close() {
  std::vector<std::pair<CaptureKey, Error>> late;
  {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      for (auto& [number, slot] : entries_[i].slots) {
        if (slot.state == State::kOpen && slot.violation) {
          slot.state = State::kRefused;
          late.emplace_back(CaptureKey{i, slot.ordinal}, *slot.violation);
        }
        slot.folder.reset();
      }
    }
  }
  for (const auto& [key, why] : late) print_refusal(key, why);
}

Json SelectionBoard::ids_in(State state) const {
  std::lock_guard lock(mutex_);
  Json ids = Json::array();
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto& slots = entries_[i].slots;
    if (std::any_of(slots.begin(), slots.end(), [&](const auto& item) { return item.second.state == state; }))
      ids.push_back(config_.selections[i].id);
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
