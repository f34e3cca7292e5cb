// A module without headers; KERNEL is its kernel's name.
#include "kernels.h"

extern "C" __attribute__((global)) void KERNEL(int* out, int n) {
  const int i = __builtin_amdgcn_workgroup_id_x() * kBlock + __builtin_amdgcn_workitem_id_x();
  KERNEL_BODY(out, n, i);
}
