// Beginning of every chunks.pack (pack.h), also of a damaged one.
#pragma once

#include <string_view>

namespace kernloop::archive {

inline constexpr std::string_view kPackHeader = "KLPACK1\n";

}  // namespace kernloop::archive
