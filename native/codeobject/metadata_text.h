// The launch metadata of a kernel as the text that digests of its code are taken of.
#pragma once

#include <optional>
#include <string>

#include "codeobject/msgpack.h"

namespace kernloop::codeobject {

// JSON.stringify's text of an entry of `amdhsa.kernels`, with the fields that every kernel has first: results of
// earlier versions hold digests of it. None for metadata that no compiler writes: fractions, numbers beyond 2^53, names
// that are numbers or occur twice, text that is not UTF-8.
std::optional<std::string> metadata_text(const msgpack::Value& kernel);

}  // namespace kernloop::codeobject
