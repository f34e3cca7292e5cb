// The one way in which our libraries stand in front of another library's functions: a row a function.
//
// A library has a file `rows.S`, which includes rows.S of this room and has a line a function. The line makes the row
// and the gate: a function of that name, which the library exports. The gate either is a function of ours that may call
// the next definition (`instead_of`, instead_of.h), or passes calls of any signature on (`pass`, pass.S).
// Look-ups by name (dlsym, dlvsym, cuGetProcAddress, hipGetProcAddress; cudaGetDriverEntryPoint asks the driver's) are
// answered from the same rows (lookup.cpp).
//
// Everything here is ready before any constructor has run, needs libc alone, and throws nothing.
#pragma once

#include <atomic>

namespace kernloop::interpose {

struct Row {                // laid out by rows.S
  std::atomic<void*> next;  // nullptr until it is known: next_of
  const char* name;
  void* gate;
  const char* libraries;  // first letters of file names, separated by spaces: "libhiprtc libamdhip64"
};

// nullptr for a name without a row.
Row* find_row(const char* name);

// The definition that the gate stands in front of, which stays the same once it is known; nullptr if no library that
// has it is loaded. It is the next one in the global scope (of another tool, or the library's), or that of a library
// that the app has opened for itself alone.
void* next_of(Row& row);

// The same search for functions that have no row. The library that has it stays loaded.
void* next_definition(const char* name, const char* libraries);

// Whether this is code of one of these libraries.
bool is_of(const void* code, const char* libraries);

// The answer to a look-up that gave `found`: the gate if `found` is the definition behind it. An older version of the
// symbol, the variant for per-thread streams and the function of a second copy of the library have signatures, meanings
// or handles of their own: they are returned as they are. So is what the next definition's own library asks for, since
// the gate would call it again. `caller`: a place in the code that asks, or nullptr.
void* answer(Row& row, void* found, const void* caller);

// The same for functions that are asked for by a name without version ("cuCtxDestroy" for cuCtxDestroy_v2).
void* answer_of_rows_that_begin_with(const char* name, void* found);

}  // namespace kernloop::interpose
