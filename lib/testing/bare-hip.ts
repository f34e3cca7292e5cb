/**
 * HIP without its headers, for tests that are not about them: parsing them is two thirds of the CPU that hipcc takes for
 * a small kernel. Index variables have one dimension.
 */
export const bareHip = {
  /** Options of hipcc and clang, none of which contains a space. */
  options: [
    '-nogpuinc',
    '-D__global__=__attribute__((global))',
    '-D__launch_bounds__(...)=__attribute__((launch_bounds(__VA_ARGS__)))',
    '-DthreadIdx=(Index{__builtin_amdgcn_workitem_id_x()})',
    '-DblockIdx=(Index{__builtin_amdgcn_workgroup_id_x()})',
    '-DblockDim=(Index{__builtin_amdgcn_workgroup_size_x()})',
  ],
  /** First line of a source, in the place of `hipHeader`. Two of the functions are those that clang's host code calls. */
  header:
    'struct Index { unsigned x; }; struct dim3 { unsigned x, y, z; dim3(unsigned n) : x(n), y(1), z(1) {} }; ' +
    'extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, void* = nullptr); ' +
    'extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);',
};

export const hipHeader = '#include <hip/hip_runtime.h>';
