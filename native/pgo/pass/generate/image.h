// The arrays of one translation unit that the collector reads: README.md has their layout.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pgo/pass/shared/options.h"
#include "pgo/pass/shared/plan.h"

namespace kernloop::pgo_pass {

/// Rows of the arrays that belong to a function.
struct Rows {
  unsigned first_counter;
  unsigned first_class;
  std::vector<std::optional<unsigned>> uniform_of_counter;  // none: statically uniform
  std::vector<std::optional<unsigned>> uniform_of_class;
};

class Image {
 public:
  /// Whether such arrays are possible.
  static llvm::Error check(const std::vector<FunctionPlan>& plans, const GenerateOptions& options);
  Image(llvm::Module& module, const std::vector<FunctionPlan>& plans, const GenerateOptions& options);

  const Rows& rows(size_t plan) const { return rows_[plan]; }
  llvm::GlobalVariable* lanes() const { return lanes_; }
  llvm::GlobalVariable* uniformLanes() const { return uniform_lanes_; }
  llvm::GlobalVariable* waves() const { return waves_; }
  const std::string& cuid() const { return cuid_; }

 private:
  llvm::GlobalVariable* add(const llvm::Twine& name, llvm::Constant* contents, bool constant, llvm::StringRef section);
  llvm::GlobalVariable* addCounters(const llvm::Twine& name, unsigned rows, llvm::StringRef section);
  void layOut();
  void addRecords(uint64_t raw_version, unsigned wave_size);

  llvm::Module& module_;
  const std::vector<FunctionPlan>& plans_;
  const GenerateOptions& options_;
  std::string cuid_;
  std::vector<Rows> rows_;
  unsigned counters_ = 0, uniform_ = 0, classes_ = 0;
  llvm::GlobalVariable *lanes_, *uniform_lanes_, *waves_;
};

}  // namespace kernloop::pgo_pass
