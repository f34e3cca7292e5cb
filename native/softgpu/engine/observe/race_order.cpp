#include "softgpu/engine/observe/race_order.h"

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

bool RaceOrder::knows_stores(uint32_t by, uint32_t of, uint32_t time) const {
  const Group* group = find(by);
  if (!group || time <= group->horizon) return true;
  return std::any_of(group->known.begin(), group->known.begin() + group->count,
                     [&](const Group::Known& known) { return known.serial == of && time <= known.released; });
}

void RaceOrder::add_known(Group& group, const Group::Known& what) {
  if (what.time <= group.horizon || what.serial == group.serial) return;
  Group::Known* oldest = nullptr;
  for (unsigned k = 0; k < group.count; ++k) {
    Group::Known& known = group.known[k];
    if (known.serial == what.serial) {
      known.time = std::max(known.time, what.time);
      known.released = std::max(known.released, what.released);
      return;
    }
    if (!oldest || known.time < oldest->time) oldest = &known;
  }
  if (group.count < Group::kMost) {
    group.known[group.count++] = what;
  } else if (oldest->time < what.time) {
    group.horizon = std::max(group.horizon, oldest->time);
    *oldest = what;
  } else {
    group.horizon = what.time;
  }
}

void RaceOrder::learn(uint32_t by, const Group::Known& what, uint32_t now) {
  if (knows(by, what.serial, what.time) && knows_stores(by, what.serial, what.released)) return;
  Group& group = this->group(by);
  const Group* other = find(what.serial);
  if (!other) return learn_all(by, what.time);
  group.learnt = now;
  // The other's current knowledge is merged, not that of then: it may include the other's own events up to when it last
  // learnt.
  Group::Known known = what;
  if (other->learnt > what.time) known.time = known.released = other->learnt;
  add_known(group, known);
  group.horizon = std::max(group.horizon, other->horizon);
  for (unsigned k = 0; k < other->count; ++k) add_known(group, other->known[k]);
}

void RaceOrder::learn_all(uint32_t by, uint32_t time) {
  if (find(by)) group(by).horizon = std::max(group(by).horizon, time);
}

}  // namespace kernloop::softgpu
