#include "capture/cuda/app/cubins.h"

#include <elf.h>

#include <algorithm>

#include "elf/image.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

constexpr uint8_t kEntryFlag = 0x10;  // in st_other: STO_CUDA_ENTRY, a kernel and no device function

bool among(const std::vector<uint32_t>& numbers, uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

std::optional<std::unordered_set<std::string>> kernel_names(std::span<const uint8_t> cubin) {
  const auto image = elf::Image::parse(cubin, "cubin");
  if (!image || image->machine() != elf::kMachineCuda) return std::nullopt;
  const auto symbols = image->symbols(SHT_SYMTAB);
  if (!symbols) return std::nullopt;
  std::unordered_set<std::string> names;
  for (const elf::Symbol& symbol : *symbols) {
    if (symbol.type == STT_FUNC && (symbol.other & kEntryFlag) != 0 && symbol.section != SHN_UNDEF) {
      names.emplace(symbol.name);
    }
  }
  return names;
}

std::vector<std::string> variable_names(std::span<const uint8_t> cubin) {
  const auto image = elf::Image::parse(cubin, "cubin");
  if (!image || image->machine() != elf::kMachineCuda) return {};
  const auto symbols = image->symbols(SHT_SYMTAB);
  if (!symbols) return {};
  std::vector<std::string> names;
  for (const elf::Symbol& symbol : *symbols) {
    if (symbol.type == STT_OBJECT && symbol.size != 0) names.emplace_back(symbol.name);
  }
  return names;
}

std::optional<LoadedVariable> Cubins::variable_at(uint64_t address) const {
  std::vector<std::pair<CUmodule, std::shared_ptr<Cubin>>> modules;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [module, number] : by_module_) modules.emplace_back(module, cubins_[number]);
  }
  // Without the lock: the driver may load something when it is asked, and tell us.
  for (const auto& [module, cubin] : modules) {
    for (const std::string& name : cubin->variables) {
      CUdeviceptr base = 0;
      size_t bytes = 0;
      if (driver_.cuModuleGetGlobal(&base, &bytes, module, name.c_str()) == CUDA_SUCCESS && address - base < bytes)
        return LoadedVariable{module, name, base, bytes};
    }
  }
  return std::nullopt;
}

uint32_t Cubins::loaded(uint32_t module_id, std::span<const uint8_t> bytes,
                        const std::function<bool(const std::unordered_set<std::string>&)>& wanted) {
  const Checksum content = checksum(bytes);
  {
    std::lock_guard lock(mutex_);
    const auto known = numbers_.find({content, bytes.size()});
    if (known != numbers_.end()) return by_module_id_[module_id] = known->second;
  }
  auto cubin = std::make_shared<Cubin>();
  cubin->content = content;
  auto names = kernel_names(bytes);
  cubin->readable = names.has_value();
  if (names) cubin->kernels = std::move(*names);
  cubin->variables = variable_names(bytes);
  if (!cubin->readable || wanted(cubin->kernels)) cubin->bytes.assign(bytes.begin(), bytes.end());
  std::lock_guard lock(mutex_);
  const auto [known, is_new] = numbers_.try_emplace({content, bytes.size()}, static_cast<uint32_t>(cubins_.size()));
  if (is_new) {
    cubin->number = known->second;
    cubins_.push_back(std::move(cubin));
  }
  return by_module_id_[module_id] = known->second;
}

void Cubins::unloading(uint32_t module_id) {
  std::lock_guard lock(mutex_);
  const auto known = by_module_id_.find(module_id);
  if (known == by_module_id_.end()) return;
  // The module's handle is unknown here; every module with this content is looked up anew.
  std::erase_if(by_module_, [&](const auto& entry) { return entry.second == known->second; });
  by_module_id_.erase(known);
}

void Cubins::is_module(CUmodule module, uint32_t cubin) {
  std::lock_guard lock(mutex_);
  by_module_[module] = cubin;
}

void Cubins::module_gone(CUmodule module) {
  std::lock_guard lock(mutex_);
  by_module_.erase(module);
}

std::vector<std::shared_ptr<Cubin>> Cubins::live_with(const std::string& symbol) const {
  std::vector<std::shared_ptr<Cubin>> found;
  std::vector<uint32_t> seen;
  for (const auto& [module_id, number] : by_module_id_) {
    if (among(seen, number) || !cubins_[number]->kernels.contains(symbol)) continue;
    seen.push_back(number);
    found.push_back(cubins_[number]);
  }
  return found;
}

std::vector<std::shared_ptr<Cubin>> Cubins::with_kernel(const std::string& symbol) {
  std::lock_guard lock(mutex_);
  return live_with(symbol);
}

// Only their code distinguishes modules with the same functions, and the driver does not show it.
bool Cubins::has_functions_of(CUmodule module, const Cubin& cubin) const {
  unsigned int count = 0;
  if (driver_.cuModuleGetFunctionCount == nullptr || driver_.cuModuleEnumerateFunctions == nullptr ||
      driver_.cuFuncGetName == nullptr || driver_.cuModuleGetFunctionCount(&count, module) != CUDA_SUCCESS) {
    return true;
  }
  if (count != cubin.kernels.size()) return false;
  std::vector<CUfunction> functions(count);
  if (driver_.cuModuleEnumerateFunctions(functions.data(), count, module) != CUDA_SUCCESS) return true;
  return std::all_of(functions.begin(), functions.end(), [&](CUfunction function) {
    const char* name = nullptr;
    return driver_.cuFuncGetName(&name, function) != CUDA_SUCCESS || name == nullptr || cubin.kernels.contains(name);
  });
}

CubinChoice Cubins::find(CUfunction function, const std::string& symbol, const std::vector<uint32_t>& loaded_now) {
  CUmodule module = nullptr;
  const bool has_module = driver_.cuFuncGetModule(&module, function) == CUDA_SUCCESS;
  CubinChoice choice;
  {
    std::lock_guard lock(mutex_);
    if (has_module) {
      const auto known = by_module_.find(module);
      if (known != by_module_.end() && cubins_[known->second]->kernels.contains(symbol)) {
        choice.cubin = cubins_[known->second];
        return choice;
      }
    }
    choice.candidates = live_with(symbol);
  }
  const auto keep = [&](auto&& condition) {
    std::vector<std::shared_ptr<Cubin>> kept;
    std::copy_if(choice.candidates.begin(), choice.candidates.end(), std::back_inserter(kept), condition);
    if (!kept.empty()) choice.candidates = std::move(kept);
  };
  if (choice.candidates.size() > 1) {
    keep([&](const std::shared_ptr<Cubin>& cubin) { return among(loaded_now, cubin->number); });
  }
  if (choice.candidates.size() > 1 && has_module) {
    keep([&](const std::shared_ptr<Cubin>& cubin) { return has_functions_of(module, *cubin); });
  }
  if (choice.candidates.size() != 1) return choice;
  choice.cubin = choice.candidates.front();
  if (has_module) is_module(module, choice.cubin->number);
  return choice;
}

}  // namespace kernloop::capture
