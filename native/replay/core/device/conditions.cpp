#include "replay/core/device/conditions.h"

#include <algorithm>

namespace kernloop::replay {

void ConditionsSeen::widen(std::optional<Span>& span, const std::optional<uint32_t>& value) {
  if (!value) return;
  if (!span) span = Span{*value, *value};
  span = Span{std::min(span->min, *value), std::max(span->max, *value)};
}

void ConditionsSeen::add(const Conditions& now) {
  ++samples_;
  widen(sm_mhz_, now.sm_mhz);
  widen(memory_mhz_, now.memory_mhz);
  widen(celsius_, now.celsius);
  for (const std::string& reason : now.slowed_by) {
    const auto known =
        std::find_if(slowed_by_.begin(), slowed_by_.end(), [&](const auto& r) { return r.first == reason; });
    if (known == slowed_by_.end())
      slowed_by_.emplace_back(reason, 1);
    else
      ++known->second;
  }
}

Json ConditionsSeen::facts() const {
  if (samples_ == 0) return {};
  Json facts = {{"samples", samples_}, {"slowed_by", Json::array()}};
  const auto tell = [&](const char* name, const std::optional<Span>& span) {
    if (span) facts[name] = {{"min", span->min}, {"max", span->max}};
  };
  tell("sm_mhz", sm_mhz_);
  tell("memory_mhz", memory_mhz_);
  tell("celsius", celsius_);
  for (const auto& [reason, samples] : slowed_by_)
    facts["slowed_by"].push_back({{"reason", reason}, {"samples", samples}});
  return facts;
}

}  // namespace kernloop::replay
