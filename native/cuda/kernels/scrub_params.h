// What the scrubbing kernel is given.
#pragma once

#include <stdint.h>

namespace kernloop::cuda {

struct ScrubParams {
  uint64_t wait_for;  // blocks of all launches so far, this one's included
  uint64_t found;     // of each multiprocessor, words of shared memory that were another; kScrubPlaces of them
  uint32_t word;
  uint32_t shared_words, local_words;
  uint32_t looked_at;  // one of local_words
};

constexpr uint32_t kScrubLocalWords = 16384;  // in the committed text
constexpr uint32_t kScrubPlaces = 1024;       // numbers of multiprocessors, modulo
constexpr uint32_t kScrubLooks = 1u << 16;    // tens of milliseconds

}  // namespace kernloop::cuda
