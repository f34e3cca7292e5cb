// Our implementation of every function of the API tables, under its own name in a namespace of its own.
#pragma once

#include "softgpu/hsa/api/tables.h"

namespace kernloop::softgpu::api {

#define KERNLOOP_HSA(table, name) decltype(::name) name;
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA

}  // namespace kernloop::softgpu::api
