#include "recorder/totals.h"

#include <algorithm>

namespace kernloop::recorder {
namespace {

using archive::Json;

Json to_json(const ProcessTotals& process) {
  Json json = identity_json(process.pid, process.process);
  json["queues"] = process.queues;
  json["dispatches"] = process.dispatches;
  json["kernels"] = Json::array();
  for (const ProcessTotals::KernelCount& kernel : process.kernels) {
    json["kernels"].push_back({{"name", kernel.name},
                               {"symbol", kernel.symbol},
                               {"code_object", kernel.code_object},
                               {"dispatches", kernel.dispatches}});
  }
  return json;
}

}  // namespace

Json identity_json(pid_t pid, const protocol::Hello& process) {
  return {{"pid", pid},
          {"parent_pid", process.parent_pid},
          {"executable", process.executable},
          {"command", process.command},
          {"runtime", process.runtime}};
}

void Totals::add_process() {
  std::lock_guard lock(mutex_);
  ++processes_;
}

void Totals::add_queue() {
  std::lock_guard lock(mutex_);
  ++queues_;
}

void Totals::add(ProcessTotals process) {
  std::lock_guard lock(mutex_);
  dispatches_ += process.dispatches;
  for (const ProcessTotals::KernelCount& kernel : process.kernels) {
    Row& row = kernels_[{kernel.symbol, kernel.code_object}];
    row.name = kernel.name;
    row.dispatches += kernel.dispatches;
  }
  for (size_t i = 0; i < process.matches.size(); ++i) matches_[i] = std::max(matches_[i], process.matches[i]);
  if (listed_.size() < kMaxListed) listed_.push_back(std::move(process));
}

uint64_t Totals::matches(uint32_t selection) const {
  std::lock_guard lock(mutex_);
  const auto found = matches_.find(selection);
  return found != matches_.end() ? found->second : 0;
}

Json Totals::summary() const {
  std::lock_guard lock(mutex_);
  Json kernels = Json::array();
  for (const auto& [key, row] : kernels_) {
    kernels.push_back(
        {{"name", row.name}, {"symbol", key.first}, {"code_object", key.second}, {"dispatches", row.dispatches}});
  }
  Json listed = Json::array();
  for (const ProcessTotals& process : listed_) listed.push_back(to_json(process));
  return {{"processes", processes_},
          {"queues", queues_},
          {"dispatches", dispatches_},
          {"kernels", std::move(kernels)},
          {"per_process", std::move(listed)}};
}

}  // namespace kernloop::recorder
