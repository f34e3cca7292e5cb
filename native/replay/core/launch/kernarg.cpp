#include "replay/core/launch/kernarg.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernloop::replay {

namespace {

using codeobject::Kernel;
using codeobject::KernelArgument;

bool is_hidden(const KernelArgument& argument) {
  return argument.value_kind.starts_with("hidden_");
}

std::vector<KernelArgument> explicit_arguments(const Kernel& kernel) {
  std::vector<KernelArgument> arguments;
  std::copy_if(kernel.args.begin(), kernel.args.end(), std::back_inserter(arguments),
               [](auto& a) { return !is_hidden(a); });
  std::sort(arguments.begin(), arguments.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
  return arguments;
}

bool same_layout(const Kernel& a, const Kernel& b) {
  return a.kernarg_bytes == b.kernarg_bytes &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), [](auto& x, auto& y) {
           return x.offset == y.offset && x.size == y.size && x.value_kind == y.value_kind;
         });
}

std::string describe(const std::vector<KernelArgument>& arguments) {
  std::string text;
  for (const KernelArgument& argument : arguments) {
    text += (text.empty() ? "" : ", ") + std::to_string(argument.size) + " bytes at " + std::to_string(argument.offset);
  }
  return text.empty() ? "none" : text;
}

Error mismatch(const Kernel& captured, const Kernel& launched, const std::vector<uint32_t>& appended) {
  std::string sizes;
  for (const uint32_t size : appended) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return {"KERNARG_MISMATCH",
          "kernel " + launched.name + " takes other arguments than the captured one" +
              (appended.empty() ? "" : " with what the lens appends (" + sizes + " bytes)") + ": captured " +
              std::to_string(captured.kernarg_bytes) + " bytes (" + describe(explicit_arguments(captured)) + "), now " +
              std::to_string(launched.kernarg_bytes) + " bytes (" + describe(explicit_arguments(launched)) + ")",
          appended.empty() ? "keep the kernel's parameter list as captured, or capture again with the new one"
                           : "declare the kernel's parameters as captured and behind them exactly those of the lens"};
}

bool same_place(const KernelArgument& a, const KernelArgument& b) {
  return a.offset == b.offset && a.size == b.size;
}

// Whether `after` is `before` followed by by-value arguments of these sizes, each after the other.
bool is_appended(const std::vector<KernelArgument>& before, const std::vector<KernelArgument>& after,
                 const std::vector<uint32_t>& sizes) {
  if (after.size() != before.size() + sizes.size()) return false;
  if (!std::equal(before.begin(), before.end(), after.begin(), same_place)) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const KernelArgument& argument = after[before.size() + i];
    const bool is_value = argument.value_kind == "by_value" || argument.value_kind == "global_buffer";
    if (argument.size != sizes[i] || !is_value) return false;
    const size_t last = before.size() + i;
    if (last > 0 && argument.offset < after[last - 1].offset + uint64_t{after[last - 1].size}) return false;
  }
  return true;
}

// Value that the ABI derives from the geometry (AMDGPUUsage, "Kernel Argument Metadata"); none for other kinds.
std::optional<uint64_t> geometry_value(const std::string& kind, uint32_t dimensions,
                                       const std::array<uint64_t, 3>& work_items,
                                       const std::array<uint32_t, 3>& block_threads) {
  if (kind == "hidden_grid_dims") return dimensions;
  const char axis = kind.back();
  if (kind.size() < 2 || kind[kind.size() - 2] != '_' || axis < 'x' || axis > 'z') return std::nullopt;
  const size_t i = static_cast<size_t>(axis - 'x');
  const uint64_t items = work_items[i], threads = block_threads[i];
  if (kind.starts_with("hidden_block_count_")) return items / threads;
  if (kind.starts_with("hidden_group_size_")) return threads;
  if (kind.starts_with("hidden_remainder_")) return items % threads;
  return std::nullopt;
}

void put_value(Buffer& kernarg, const KernelArgument& argument, uint64_t value) {
  std::memcpy(kernarg.data() + argument.offset, &value, std::min<size_t>(sizeof value, argument.size));
}

}  // namespace

Result<Buffer> build_kernarg(const archive::Manifest& manifest, const Kernel& captured, const Kernel& launched,
                             const std::vector<uint32_t>& appended) {
  Buffer source = manifest.kernarg.bytes;
  for (const archive::KernargSlot& slot : manifest.kernarg.slots) {
    if (slot.policy == archive::SlotPolicy::kZero) std::fill_n(source.begin() + slot.offset, slot.size, uint8_t{0});
  }
  if (source.size() != captured.kernarg_bytes) {
    return Error{"CAPTURE_INVALID",
                 "the capture has " + std::to_string(source.size()) +
                     " bytes of kernel arguments; its own code object says " + std::to_string(captured.kernarg_bytes),
                 "capture again"};
  }
  if (appended.empty() && same_layout(captured, launched)) return source;

  // Without arguments in the metadata (assembly) only the size can be compared.
  const auto opaque = [](const Kernel& kernel) { return kernel.args.empty() && kernel.kernarg_bytes > 0; };
  if (opaque(captured) || opaque(launched)) {
    if (!appended.empty() || captured.kernarg_bytes != launched.kernarg_bytes)
      return mismatch(captured, launched, appended);
    return source;
  }
  const auto before = explicit_arguments(captured), after = explicit_arguments(launched);
  if (!is_appended(before, after, appended)) return mismatch(captured, launched, appended);

  Buffer kernarg(launched.kernarg_bytes, 0);
  for (const KernelArgument& argument : before) {
    std::copy_n(source.begin() + argument.offset, argument.size, kernarg.begin() + argument.offset);
  }
  for (const KernelArgument& argument : launched.args) {
    if (!is_hidden(argument)) continue;
    const auto twin = std::find_if(captured.args.begin(), captured.args.end(), [&](auto& other) {
      return other.value_kind == argument.value_kind && other.size == argument.size;
    });
    if (twin != captured.args.end() && argument.value_kind != "hidden_none") {
      std::copy_n(source.begin() + twin->offset, argument.size, kernarg.begin() + argument.offset);
      continue;
    }
    // The rest is zero: such pointers belong to the app's process.
    const archive::Geometry& geometry = manifest.geometry;
    put_value(kernarg, argument,
              geometry_value(argument.value_kind, geometry.dimensions, geometry.grid_work_items, geometry.block_threads)
                  .value_or(0));
  }
  return kernarg;
}

void put_appended(const Kernel& launched, const std::vector<uint64_t>& values, Buffer& kernarg) {
  const auto arguments = explicit_arguments(launched);
  for (size_t i = 0; i < values.size(); ++i)
    put_value(kernarg, arguments[arguments.size() - values.size() + i], values[i]);
}

namespace {

bool is_null(const KernelArgument& argument, const Buffer& kernarg) {
  const auto first = kernarg.begin() + argument.offset;
  return std::all_of(first, first + argument.size, [](uint8_t byte) { return byte == 0; });
}

}  // namespace

std::vector<std::string> services_left_null(const Kernel& kernel, const Buffer& kernarg) {
  static constexpr std::array kServices = {"hidden_hostcall_buffer", "hidden_printf_buffer",
                                           "hidden_heap_v1",         "hidden_multigrid_sync_arg",
                                           "hidden_default_queue",   "hidden_completion_action"};
  std::vector<std::string> null;
  for (const KernelArgument& argument : kernel.args) {
    if (std::ranges::find(kServices, argument.value_kind) == kServices.end()) continue;
    if (is_null(argument, kernarg)) null.push_back(argument.value_kind);
  }
  return null;
}

std::vector<uint32_t> services_of_apps(const Kernel& kernel, const Buffer& kernarg) {
  std::vector<uint32_t> offsets;
  for (const KernelArgument& argument : kernel.args) {
    const bool is_filled = argument.value_kind == "hidden_hostcall_buffer" || argument.value_kind == "hidden_heap_v1";
    if (is_filled && argument.size == sizeof(uint64_t) && is_null(argument, kernarg))
      offsets.push_back(argument.offset);
  }
  return offsets;
}

void describe_geometry(const Kernel& kernel, Launch& launch) {
  for (const KernelArgument& argument : kernel.args) {
    if (!is_hidden(argument)) continue;
    auto value = geometry_value(argument.value_kind, launch.dimensions, launch.grid_work_items, launch.block_threads);
    if (argument.value_kind == "hidden_dynamic_lds_size") value = launch.dynamic_group_segment_bytes;
    if (value) put_value(launch.kernarg, argument, *value);
  }
}

}  // namespace kernloop::replay
