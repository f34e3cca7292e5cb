#include "pgo/pass/generate/image.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstring>

#include "pgo/pass/generate/wave.h"

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

constexpr unsigned device_memory = 1;  // address space, on both targets
constexpr uint64_t magic = 0x4652504c4e52454b;
constexpr uint32_t none = 0xFFFFFFFF;

/// Bytes of a constant, little-endian.
class Bytes {
 public:
  template <typename T>
  void put(T value) {
    static_assert(std::is_unsigned_v<T>);
    for (size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
  void put(const std::optional<unsigned>& row) { put<uint32_t>(row ? *row : none); }
  void text(StringRef value, size_t size) {
    value = value.take_front(size - 1);
    bytes_.append(value.begin(), value.end());
    bytes_.append(size - value.size(), '\0');
  }
  size_t size() const { return bytes_.size(); }
  Constant* constant(LLVMContext& context) const {
    return ConstantDataArray::getString(context, bytes_, /*AddNull=*/false);
  }

 private:
  std::string bytes_;
};

std::string unitId(Module& module, const std::vector<FunctionPlan>& plans) {
  for (const GlobalVariable& variable : module.globals())
    if (variable.getName().starts_with("__hip_cuid_")) return variable.getName().substr(11).str();
  std::string text = module.getSourceFileName();
  for (const FunctionPlan& plan : plans) text += ";" + plan.name + utohexstr(plan.hash);
  return utohexstr(IndexedInstrProf::ComputeHash(text), /*LowerCase=*/true);
}

// Version as LLVM's instrumentation left it: its flags say which entry is counted, and that these are profiles of IR.
uint64_t rawVersion(const Module& module) {
  const GlobalVariable* variable = module.getNamedGlobal("__llvm_profile_raw_version");
  const auto* value = variable ? dyn_cast<ConstantInt>(variable->getInitializer()) : nullptr;
  if (!value) reportFatalInternalError("kernloop-pgo: LLVM's instrumentation left no version of the raw format");
  return value->getZExtValue();
}

uint64_t nameReference(const FunctionPlan& plan) {
  return IndexedInstrProf::ComputeHash(plan.name);
}

std::string joinedNames(const std::vector<FunctionPlan>& plans) {
  std::vector<std::string> names;
  for (const FunctionPlan& plan : plans) names.push_back(plan.name);
  std::string result;
  if (Error error = collectGlobalObjectNameStrings(names, /*doCompression=*/false, result))
    reportFatalInternalError(std::move(error));
  return result;
}

}  // namespace

Image::Image(Module& module, const std::vector<FunctionPlan>& plans, const GenerateOptions& options)
    : module_(module), plans_(plans), options_(options), cuid_(unitId(module, plans)) {
  layOut();
  lanes_ = addCounters("__profc_all_", counters_, "__llvm_prf_cnts");
  uniform_lanes_ = addCounters("__profu_all_", uniform_, "__llvm_prf_ucnts");
  waves_ = addCounters("__profw_all_", classes_, "__llvm_prf_waves");
  addRecords(rawVersion(module), Wave(*plans.front().function).size());
}

Error Image::check(const std::vector<FunctionPlan>& plans, const GenerateOptions& options) {
  for (const FunctionPlan& plan : plans)
    if (Wave(*plan.function).size() != Wave(*plans.front().function).size())
      return createStringError("kernloop-pgo: " + plan.name + " has waves of " + Twine(Wave(*plan.function).size()) +
                               " lanes, and " + plans.front().name + " of the same translation unit has others");
  uint64_t rows = 0;
  for (const FunctionPlan& plan : plans) rows += 2 * plan.counters.size() + plan.classes.size();
  // The offset of a row is 32 bits wide.
  if (rows * options.slots * 8 <= 0x7FFFFFFF) return Error::success();
  return createStringError("kernloop-pgo: " + Twine(rows) + " counters of this translation unit in " +
                           Twine(options.slots) + " slots do not fit into 2 GiB: lower -kernloop-pgo-slots");
}

void Image::layOut() {
  for (const FunctionPlan& plan : plans_) {
    rows_.push_back({counters_, classes_, {}, {}});
    counters_ += static_cast<unsigned>(plan.counters.size());
    classes_ += static_cast<unsigned>(plan.classes.size());
  }
  uniform_ = counters_;
  const bool statically = options_.uniform == UniformRule::branch;
  for (const auto& [plan, rows] : zip(plans_, rows_)) {
    for (const auto& [index, counter] : enumerate(plan.counters)) {
      const bool needed = !(statically && counter.statically_uniform);
      rows.uniform_of_counter.push_back(needed ? std::optional(rows.first_counter + static_cast<unsigned>(index))
                                               : std::nullopt);
    }
    for (const BlockClass& of : plan.classes) {
      std::optional<unsigned> row;
      if (!(statically && of.statically_uniform))
        row = of.counter ? rows.uniform_of_counter[*of.counter] : std::optional(uniform_++);
      rows.uniform_of_class.push_back(row);
    }
  }
}

GlobalVariable* Image::add(const Twine& name, Constant* contents, bool constant, StringRef section) {
  auto* variable = new GlobalVariable(module_, contents->getType(), constant, GlobalValue::ExternalLinkage, contents,
                                      name + cuid_, nullptr, GlobalValue::NotThreadLocal, device_memory);
  variable->setAlignment(Align(8));
  if (module_.getTargetTriple().isAMDGCN()) {
    variable->setVisibility(GlobalValue::ProtectedVisibility);
    if (!section.empty()) variable->setSection(section);
  }
  appendToCompilerUsed(module_, {variable});
  return variable;
}

GlobalVariable* Image::addCounters(const Twine& name, unsigned rows, StringRef section) {
  auto* type = ArrayType::get(Type::getInt64Ty(module_.getContext()), uint64_t{rows} * options_.slots);
  return add(name, Constant::getNullValue(type), false, section);
}

void Image::addRecords(uint64_t raw_version, unsigned wave_size) {
  Bytes records, ours;
  ours.put(magic);
  ours.put<uint32_t>(1);
  ours.put<uint32_t>(104);
  for (const uint32_t field : {wave_size, options_.slots, static_cast<uint32_t>(options_.sampling),
                               options_.sample_one_in, static_cast<uint32_t>(options_.uniform),
                               static_cast<uint32_t>(plans_.size()), counters_, uniform_, classes_, 0u})
    ours.put(field);
  ours.put(raw_version);
  ours.text(Wave::architecture(module_), 40);

  for (const auto& [plan, rows] : zip(plans_, rows_)) {
    const auto count = static_cast<uint32_t>(plan.counters.size());
    const uint64_t first = uint64_t{rows.first_counter} * options_.slots * 8;
    const uint64_t at = records.size();
    for (const uint64_t field : {nameReference(plan), plan.hash, first - at, uint64_t{0}, uint64_t{0}, uint64_t{0},
                                 uint64_t{count}, uint64_t{0}})
      records.put(field);

    const bool kernel = plan.function->getCallingConv() == CallingConv::AMDGPU_KERNEL ||
                        plan.function->getCallingConv() == CallingConv::PTX_Kernel;
    ours.put(nameReference(plan));
    ours.put(plan.hash);
    for (const uint32_t field : {rows.first_counter, count, rows.first_class,
                                 static_cast<uint32_t>(plan.classes.size()), uint32_t{kernel}, 0u})
      ours.put(field);
  }
  for (const auto& [plan, rows] : zip(plans_, rows_))
    for (const auto& [counter, uniform] : zip(plan.counters, rows.uniform_of_counter)) {
      ours.put<uint32_t>(counter.in_class);
      ours.put(uniform);
    }
  for (const auto& [plan, rows] : zip(plans_, rows_))
    for (const auto& [of, uniform] : zip(plan.classes, rows.uniform_of_class)) {
      ours.put(uniform);
      ours.put(of.counter);
    }

  LLVMContext& context = module_.getContext();
  GlobalVariable* data = add("__profd_all_", records.constant(context), true, "__llvm_prf_data");
  GlobalVariable* names = add("__llvm_prf_names_", ConstantDataArray::getString(context, joinedNames(plans_), false),
                              true, "__llvm_prf_names");
  add("__kernloop_prf_", ours.constant(context), true, "");

  SmallVector<Constant*, 8> pointers;
  for (GlobalVariable* array : {lanes_, data, names, uniform_lanes_}) pointers.push_back(array);
  for (GlobalVariable* array : {lanes_, data, names, uniform_lanes_})
    pointers.push_back(
        ConstantExpr::getGetElementPtr(array->getValueType(), array, ConstantInt::get(Type::getInt32Ty(context), 1)));
  auto* type = ArrayType::get(pointers.front()->getType(), pointers.size());
  add("__llvm_offload_prf_", ConstantArray::get(type, pointers), true, "");
}

}  // namespace kernloop::pgo_pass
