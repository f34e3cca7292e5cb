// HIP has no word for a required workgroup size.
__attribute__((reqd_work_group_size(64, 2, 1))) kernel void required(global int* x) {
  x[__builtin_amdgcn_workitem_id_x()] += 1;
}
kernel void any_block(global int* x) {
  x[__builtin_amdgcn_workitem_id_x()] += 1;
}
