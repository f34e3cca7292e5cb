// Finds which input of a captured dispatch may be changed (derived_inputs.h), before any input is derived.
#pragma once

#include "replay/core/memory/derived_array.h"
#include "replay/core/session/options.h"

namespace kernloop::replay {

// The arrays that the captured code reads, in regions and in variables that the app may have set, without bytes that
// the options keep as captured, bytes that are not compared, and pointers. `accesses`: those of the captured code with
// the captured input; null if the device does not record them: then only arrays of declared floating-point types are
// returned, whole.
Result<std::vector<InputArray>> find_input_arrays(ContentCache& cache, const Derivation& derivation,
                                                  const std::vector<Target>& targets,
                                                  const std::vector<Access>* accesses);

// Bytes that any launch touched, reads or writes: sorted and disjoint.
std::vector<AddressRange> touched(const std::vector<Access>& accesses, bool is_write);

// Replacements for a whole number that the app passed: one less, another one with which the last block is partial, one
// with which that block has one thread (1, if there is no other block), three less, and an odd one. All of them give
// the app's number of blocks, if the value is a number of threads.
std::vector<uint64_t> lesser_values(uint64_t value, uint64_t block_threads, uint64_t seed);

// Replacements for a whole number of at most 8, which may be a mode, a set of flags or a count: the next one, and 0
// to 3.
std::vector<uint64_t> near_values(uint64_t value);

// Replacements for a floating-point number that the app passed: powers of two times it, which keeps exact results
// exact, of the same sign, and in [-1, 1] if it is. It may be a share or a probability.
std::vector<double> other_values(double value);

}  // namespace kernloop::replay
