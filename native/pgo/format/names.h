// The names of a raw profile: blobs of ULEB(size) ULEB(compressed size or 0) and names joined by 0x01.
#pragma once

#include <map>
#include <string>

#include "pgo/format/bytes.h"

namespace kernloop::pgo {

// NameRef of a record: a hash of the name.
uint64_t name_ref(std::string_view name);

// Names by reference. Throws Malformed.
std::map<uint64_t, std::string> read_names(Bytes blob);

}  // namespace kernloop::pgo
