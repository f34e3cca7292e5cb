// SHA-256 of two messages at once. One message keeps the processor's SHA instructions busy only half of the time, since
// each round waits for the previous one; the rounds of another message fit in between.
#pragma once

#include <array>

#include "base/digest.h"

namespace kernloop {

// Uses OpenSSL, one message after the other, on processors without these instructions.
std::array<Digest, 2> sha256_pair(Bytes first, Bytes second);

}  // namespace kernloop
