// Kernels of the HSA runtime's tests. They need no runtime and no device library.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
using uint = unsigned int;
using ulong = unsigned long;

__device__ inline uint global_x() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

__device__ uint variable = 40;
__constant__ uint table[4] = {2, 3, 5, 7};
extern "C" __constant__ const uint limits[2] = {10, 20};  // in a segment that is not writable

extern "C" __global__ void add(const uint* a, const uint* b, uint* out) {
  const uint i = global_x();
  out[i] = a[i] + b[i];
}

extern "C" __global__ void store(uint* to, uint value) {
  *to = value;
}

// Appends `value` to a list that the host checks for order.
extern "C" __global__ void append(uint* list, uint* length, uint value) {
  list[(*length)++] = value;
}

// Adds to a counter, of which the arguments hold no address.
extern "C" __global__ void count_hidden(ulong* complement) {
  ++*reinterpret_cast<uint*>(~reinterpret_cast<ulong>(complement));
}

extern "C" __global__ void count_up(uint* counter) {
  __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void wait_for(uint* flag) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

// Tells that it runs, and goes on until the flag is set.
extern "C" __global__ void start_and_wait(uint* flag, uint* started) {
  __hip_atomic_store(started, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

using Change = uint (*)(uint);
__device__ __attribute__((noinline)) uint doubled(uint value) {
  return 2 * value;
}
__device__ __attribute__((noinline)) uint squared(uint value) {
  return value * value;
}

extern "C" __global__ void take_functions(Change* table) {
  table[1] = squared;
  table[2] = doubled;
}

extern "C" __global__ void call_function(const Change* table, uint* number, uint which) {
  *number = table[which](*number + 3);
}

struct Shape {
  uint side;
  __device__ virtual uint area() const { return side * side; }
};
struct Cube : Shape {
  __device__ uint area() const override { return 6 * side * side; }
};

__device__ inline void* operator new(__SIZE_TYPE__, void* place) {
  return place;
}

extern "C" __global__ void make_shape(void* place, uint* side) {
  Shape* const shape = *side == 0 ? new (place) Shape : new (place) Cube;
  shape->side = *side;
}

extern "C" __global__ void measure_shape(const Shape* shape, uint* area) {
  *area = shape->area();
}

// Reads and writes `data` again and again until the flag is set.
extern "C" __global__ void use_until(uint* flag, uint* started, volatile uint* data) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
    data[global_x()] += 1;
    __hip_atomic_store(started, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
}

// Subtracts from a signal's value in memory, as device libraries do (amd_signal_t.value is its second word).
extern "C" __global__ void lower_signal(ulong* signal) {
  __hip_atomic_fetch_add(signal + 1, ~0ul, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

extern "C" __global__ void use_variables(uint* out) {
  variable += table[3];
  *out = variable;
}

extern "C" __global__ void read_limit(uint* out, uint i) {
  *out = limits[i];
}

extern "C" __global__ void use_lds(uint* out) {
  __shared__ uint values[64];
  const uint i = __builtin_amdgcn_workitem_id_x();
  values[i] = i * 3;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[i] = values[63 - i];
}
