// Kernels that spill, and what decides where they should: which of two branches is executed how often, and by how many
// lanes of a wave at a time. All take (out, n, iterations) and write one double a thread.
#pragma once

#include <hip/hip_runtime.h>

// LLVM's microbenchmarks for profiles of device code: 16 doubles are alive across a loop, in 16 registers. Half of
// them are of use in one branch, half in the other.
extern "C" __global__ void spill_uniform(double* out, int n, int iterations);  // a wave takes one branch or the other
extern "C" __global__ void spill_divergent(double* out, int n,
                                           int iterations);  // one lane in 10,000 rounds, each at its time
extern "C" __global__ void spill_hot(double* out, int n, int iterations);    // as that, one round in 100
extern "C" __global__ void spill_every(double* out, int n, int iterations);  // in every round some lane of every wave

// Chemistry of the cells of a flame, one thread a cell, one round a time step: a cheap explicit step, or an implicit
// one where the flame's front makes it stiff.
extern "C" __global__ void kinetics(double* out, int n, int iterations);
