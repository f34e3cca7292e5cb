// Numbers in device memory, for values that vary from run to run and so cannot be compared as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/manifest/manifest.h"
#include "base/bytes.h"

namespace kernloop::replay {

// f8e4m3 and f8e5m2 are the OCP formats (E4M3 has no infinity); the …fnuz ones are AMD's (one NaN, no infinity, no -0).
enum class ElementType : uint8_t {
  kF16,
  kBf16,
  kF32,
  kF64,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF8E4M3,
  kF8E5M2,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz
};

// long double holds every value of these types exactly (x86-64: 64 bits of significand).
using Number = long double;

size_t size_of(ElementType type);
bool is_float(ElementType type);
const char* name_of(ElementType type);  // "f32"
std::optional<ElementType> element_type_of(std::string_view name);

// For whole numbers only.
Number least_of(ElementType type);
Number greatest_of(ElementType type);

Number load_number(ElementType type, const uint8_t* bytes);
bool is_finite(Number value);

// Elements that are NaN or infinite, the quick way.
uint64_t count_special(ElementType type, Bytes elements);

// Whole numbers beyond 2^53 become decimal strings, since many JSON readers would round them.
archive::Json number_to_json(ElementType type, Number value);
// The same, and "NaN", "Infinity" and "-Infinity", which JSON has no numbers for.
archive::Json value_to_json(ElementType type, Number value);
std::optional<Number> number_from_json(const archive::Json& json);

// Element type of a C++ pointer type: "float*", "float const*", "const unsigned int *". None for structs, void, T**.
std::optional<ElementType> pointee_type(std::string_view pointer_type);

// Types of the parameters in a demangled signature: "scale(float**, int const*, float)" → three.
std::vector<std::string> parameter_types(std::string_view demangled);

}  // namespace kernloop::replay
