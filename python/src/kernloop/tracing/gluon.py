"""Context of device.py for kernels in Gluon, under Iris's names: rank and number of ranks are read at run time."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.core import _aggregate as aggregate

from .device import DeviceTracing, _begin, _translate


@aggregate
class IrisDeviceCtx:
    cur_rank: gl.tensor
    num_ranks: gl.tensor
    heap_bases: gl.tensor
    tracing: DeviceTracing

    @gluon.constexpr_function
    def __init__(self, cur_rank, num_ranks, heap_bases, tracing):
        self.cur_rank = cur_rank
        self.num_ranks = num_ranks
        self.heap_bases = heap_bases
        self.tracing = tracing

    @staticmethod
    @gluon.jit
    def initialize(context_tensor, tracing: gl.constexpr = False, slots: gl.constexpr = 0):
        cur_rank = gl.load(context_tensor)
        num_ranks = gl.load(context_tensor + 1)
        return IrisDeviceCtx(cur_rank, num_ranks, context_tensor + 2, _begin(context_tensor, cur_rank, tracing, slots))

    @gluon.jit
    def load(self, pointer, from_rank, mask=None, other=None, cache_modifier=None, volatile=False):
        there = _translate(pointer, self.cur_rank, from_rank, self.heap_bases, None)
        return gl.load(there, mask=mask, other=other, cache_modifier=cache_modifier, volatile=volatile)

    @gluon.jit
    def store(self, pointer, value, to_rank, mask=None, cache_modifier=None):
        there = _translate(pointer, self.cur_rank, to_rank, self.heap_bases, None)
        gl.store(there, value, mask=mask, cache_modifier=cache_modifier)

    @gluon.jit
    def get(self, from_ptr, to_ptr, from_rank, mask=None, other=None, load_cache_modifier=None, store_cache_modifier=None):
        """Copies from the heap of another rank to memory of this one."""
        there = _translate(from_ptr, self.cur_rank, from_rank, self.heap_bases, None)
        gl.store(
            to_ptr,
            gl.load(there, mask=mask, other=other, cache_modifier=load_cache_modifier),
            mask=mask,
            cache_modifier=store_cache_modifier,
        )

    @gluon.jit
    def put(self, from_ptr, to_ptr, to_rank, mask=None, other=None, load_cache_modifier=None, store_cache_modifier=None):
        """Copies from memory of this rank to the heap of another one."""
        there = _translate(to_ptr, self.cur_rank, to_rank, self.heap_bases, None)
        gl.store(
            there,
            gl.load(from_ptr, mask=mask, other=other, cache_modifier=load_cache_modifier),
            mask=mask,
            cache_modifier=store_cache_modifier,
        )

    @gluon.jit
    def atomic_add(self, pointer, val, to_rank, mask=None, sem=None, scope=None):
        there = _translate(pointer, self.cur_rank, to_rank, self.heap_bases, None)
        return gl.atomic_add(there, val, mask=mask, sem=sem, scope=scope)

    @gluon.jit
    def atomic_xchg(self, pointer, val, to_rank, mask=None, sem=None, scope=None):
        there = _translate(pointer, self.cur_rank, to_rank, self.heap_bases, None)
        return gl.atomic_xchg(there, val, mask=mask, sem=sem, scope=scope)

    @gluon.jit
    def atomic_cas(self, pointer, cmp, val, to_rank, sem=None, scope=None):
        there = _translate(pointer, self.cur_rank, to_rank, self.heap_bases, None)
        return gl.atomic_cas(there, cmp, val, sem=sem, scope=scope)


GluonContext = IrisDeviceCtx  # its name in an intermediate version of Iris
