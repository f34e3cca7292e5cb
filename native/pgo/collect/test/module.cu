// A module without headers; KERNEL is its kernel's name. data/alpha.sm_90.cubin is made of it by data/make_cubins.sh.
#include "kernels.h"

extern "C" __attribute__((global)) void KERNEL(int* out, int n) {
  const int i = __nvvm_read_ptx_sreg_ctaid_x() * kBlock + __nvvm_read_ptx_sreg_tid_x();
  KERNEL_BODY(out, n, i);
}
