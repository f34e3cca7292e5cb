"""Used parts of the HSA runtime's C interface (hsa.h, hsa_ext_amd.h) and of the software GPU's extension
(native/abi/hsa/softgpu_extension.h)."""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char,
    c_int,
    c_int64,
    c_size_t,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)

# Handles are structs of one uint64_t, which the x86-64 ABI passes like a uint64_t.
Handle = c_uint64
Status = c_int

SUCCESS = 0
INFO_BREAK = 1

SYSTEM_TIMESTAMP_FREQUENCY = 3
AGENT_NAME, AGENT_WAVEFRONT_SIZE, AGENT_DEVICE = 0, 6, 17
AGENT_COMPUTE_UNITS, AGENT_WAVES_PER_UNIT = 0xA002, 0xA00A
DEVICE_GPU = 1
POOL_SEGMENT, POOL_FLAGS, POOL_MAY_ALLOCATE = 0, 1, 5
SEGMENT_GLOBAL = 0
POOL_FLAG_KERNARG = 1
PROFILE_FULL, ROUNDING_DEFAULT = 1, 0
SYMBOL_KERNEL_OBJECT, SYMBOL_KERNARG_BYTES, SYMBOL_GROUP_BYTES, SYMBOL_PRIVATE_BYTES = 22, 11, 13, 14
QUEUE_MULTI = 0
CONDITION_LT = 2
WAIT_BLOCKED = 0
PACKET_KERNEL_DISPATCH = 2
# System-scope fences on both sides of the dispatch.
DISPATCH_HEADER = PACKET_KERNEL_DISPATCH | 2 << 9 | 2 << 11

SOFTGPU_EXTENSION = 0x4B4C

AgentCallback = CFUNCTYPE(Status, Handle, c_void_p)
PoolCallback = CFUNCTYPE(Status, Handle, c_void_p)
QueueErrorCallback = CFUNCTYPE(None, Status, c_void_p, c_void_p)


class Queue(ctypes.Structure):
    _fields_ = [
        ("type", c_uint32),
        ("features", c_uint32),
        ("base_address", c_void_p),
        ("doorbell_signal", Handle),
        ("size", c_uint32),
        ("reserved1", c_uint32),
        ("id", c_uint64),
    ]


class DispatchPacket(ctypes.Structure):
    _fields_ = [
        ("header", c_uint16),
        ("setup", c_uint16),
        ("workgroup_size_x", c_uint16),
        ("workgroup_size_y", c_uint16),
        ("workgroup_size_z", c_uint16),
        ("reserved0", c_uint16),
        ("grid_size_x", c_uint32),
        ("grid_size_y", c_uint32),
        ("grid_size_z", c_uint32),
        ("private_segment_size", c_uint32),
        ("group_segment_size", c_uint32),
        ("kernel_object", c_uint64),
        ("kernarg_address", c_uint64),
        ("reserved2", c_uint64),
        ("completion_signal", Handle),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("faulted", c_uint32),
        *(
            (name, c_uint64)
            for name in (
                "wave_instructions valu salu smem vmem_read vmem_write atomics lds scratch branches divergent_branches barriers "
                "active_lanes bytes_read bytes_written memory_transactions waves workgroups"
            ).split()
        ),
        ("fault_json", c_char * 4096),
    ]


class Extension(ctypes.Structure):
    """The first entries of the table, up to the last one used."""

    _fields_ = [
        ("set_max_wave_instructions", c_void_p),
        ("set_seed", c_void_p),
        ("set_threads", c_void_p),
        ("dispatch_report", CFUNCTYPE(Status, Handle, POINTER(Report))),
    ]


_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "hsa_init": (Status, []),
    "hsa_shut_down": (Status, []),
    "hsa_status_string": (Status, [Status, POINTER(ctypes.c_char_p)]),
    "hsa_system_get_info": (Status, [c_int, c_void_p]),
    "hsa_system_get_major_extension_table": (Status, [c_uint16, c_uint16, c_size_t, c_void_p]),
    "hsa_iterate_agents": (Status, [AgentCallback, c_void_p]),
    "hsa_agent_get_info": (Status, [Handle, c_int, c_void_p]),
    "hsa_amd_agent_iterate_memory_pools": (Status, [Handle, PoolCallback, c_void_p]),
    "hsa_amd_memory_pool_get_info": (Status, [Handle, c_int, c_void_p]),
    "hsa_amd_memory_pool_allocate": (Status, [Handle, c_size_t, c_uint32, POINTER(c_void_p)]),
    "hsa_amd_memory_pool_free": (Status, [c_void_p]),
    "hsa_amd_memory_lock": (Status, [c_void_p, c_size_t, POINTER(Handle), c_int, POINTER(c_void_p)]),
    "hsa_amd_memory_unlock": (Status, [c_void_p]),
    "hsa_code_object_reader_create_from_memory": (Status, [c_void_p, c_size_t, POINTER(Handle)]),
    "hsa_code_object_reader_destroy": (Status, [Handle]),
    "hsa_executable_create_alt": (Status, [c_int, c_int, ctypes.c_char_p, POINTER(Handle)]),
    "hsa_executable_load_agent_code_object": (Status, [Handle, Handle, Handle, ctypes.c_char_p, c_void_p]),
    "hsa_executable_freeze": (Status, [Handle, ctypes.c_char_p]),
    "hsa_executable_destroy": (Status, [Handle]),
    "hsa_executable_get_symbol_by_name": (Status, [Handle, ctypes.c_char_p, POINTER(Handle), POINTER(Handle)]),
    "hsa_executable_symbol_get_info": (Status, [Handle, c_int, c_void_p]),
    "hsa_queue_create": (
        Status,
        [Handle, c_uint32, c_uint32, QueueErrorCallback, c_void_p, c_uint32, c_uint32, POINTER(POINTER(Queue))],
    ),
    "hsa_queue_destroy": (Status, [POINTER(Queue)]),
    "hsa_queue_inactivate": (Status, [POINTER(Queue)]),
    "hsa_queue_add_write_index_relaxed": (c_uint64, [POINTER(Queue), c_uint64]),
    "hsa_signal_create": (Status, [c_int64, c_uint32, c_void_p, POINTER(Handle)]),
    "hsa_signal_destroy": (Status, [Handle]),
    "hsa_signal_store_screlease": (None, [Handle, c_int64]),
    "hsa_signal_wait_scacquire": (c_int64, [Handle, c_int, c_int64, c_uint64, c_int]),
}


def load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library
