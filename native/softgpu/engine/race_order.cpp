#include "softgpu/engine/race_order.h"

#include <algorithm>

namespace kernloop::softgpu {

uint32_t RaceOrder::add(const uint32_t id[3]) {
  const uint32_t serial = next_++, at = serial % kRemembered;
  if (groups_.size() <= at) groups_.resize(at + 1);
  groups_[at] = Group{};
  groups_[at].serial = serial;
  std::copy_n(id, 3, groups_[at].id);
  return serial;
}

const RaceOrder::Group* RaceOrder::find(uint32_t serial) const {
  const uint32_t at = serial % kRemembered;
  return at < groups_.size() && groups_[at].serial == serial ? &groups_[at] : nullptr;
}

bool RaceOrder::knows(uint32_t by, uint32_t of, uint32_t time) const {
  const Group* group = find(by);
  if (!group || time <= group->horizon) return true;
  return std::any_of(group->known.begin(), group->known.begin() + group->count,
                     [&](const Group::Known& known) { return known.serial == of && time <= known.time; });
}

void RaceOrder::add_known(Group& group, uint32_t serial, uint32_t time) {
  if (time <= group.horizon || serial == group.serial) return;
  Group::Known* oldest = nullptr;
  for (unsigned k = 0; k < group.count; ++k) {
    Group::Known& known = group.known[k];
    if (known.serial == serial) {
      known.time = std::max(known.time, time);
      return;
    }
    if (!oldest || known.time < oldest->time) oldest = &known;
  }
  if (group.count < Group::kMost) {
    group.known[group.count++] = {serial, time};
  } else if (oldest->time < time) {
    group.horizon = std::max(group.horizon, oldest->time);
    *oldest = {serial, time};
  } else {
    group.horizon = time;
  }
}

void RaceOrder::learn(uint32_t by, uint32_t of, uint32_t time, uint32_t now) {
  if (knows(by, of, time)) return;
  Group& group = this->group(by);
  const Group* other = find(of);
  if (!other) return learn_all(by, time);
  group.learnt = now;
  // What it knows by now, not then: others may have told it of itself up to when it learnt that.
  add_known(group, of, std::max(time, other->learnt));
  group.horizon = std::max(group.horizon, other->horizon);
  for (unsigned k = 0; k < other->count; ++k) add_known(group, other->known[k].serial, other->known[k].time);
}

void RaceOrder::learn_all(uint32_t by, uint32_t time) {
  if (find(by)) group(by).horizon = std::max(group(by).horizon, time);
}

}  // namespace kernloop::softgpu
