"""API for kernels in Triton and Gluon: a context of ranks, and events recorded from inside.

    ctx = DeviceContext.initialize(context_tensor, rank, world_size, tracing=TRACING)
    handle = ctx.tracing.record_event_start(TraceEvent().put, target_rank, pointers, pid_m, pid_n, mask)
    ctx.put(source, pointers, target_rank, mask=mask)
    ctx.tracing.record_event_end(handle)

`tracing` is a compile-time constant: without it no instruction of this remains. See docs/tracing.md."""

# No `from __future__ import annotations` here, because Triton reads annotations.
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

from .machine import TEXT, get_cu_id, get_xcc_id, has_cycles, read_cycles, read_realtime

# Offsets of words after the heap bases (host.py writes them), and after the counter that the third of them points to.
_MAX_EVENTS = tl.constexpr(1)
_COUNTERS = tl.constexpr(2)
_BUFFERS = tl.constexpr(4)
_ADJUST = tl.constexpr(1)


@aggregate
class DeviceTracing:
    enabled: tl.constexpr
    slots: tl.constexpr
    rank: tl.tensor
    words: tl.tensor
    max_events: tl.tensor
    first: tl.tensor

    @triton.constexpr_function
    def __init__(self, enabled, slots, rank, words, max_events, first):
        self.enabled = tl.constexpr(enabled)
        self.slots = tl.constexpr(slots)
        self.rank = rank
        self.words = words
        self.max_events = max_events
        self.first = first

    @triton.jit
    def record_event_start(self, event_id: tl.constexpr, target_rank, address, pid_m, pid_n, mask=None, slot=None):
        """Returns a handle for `record_event_end`. `address`: one pointer, or several, of which the lowest is kept;
        `mask`: mask of the pointers, which determines the number of bytes. `slot`: one of the program's slots, if
        `initialize` claimed some."""
        handle = tl.cast(-1, tl.int32)
        if self.enabled:
            if self.max_events > 0:
                words = self.words
                at = _slot(words, self.max_events, self.first, self.slots, slot)
                if at >= 0:
                    # One after the other: computing both at once would take more registers.
                    lowest = _lowest(address)
                    payload = _payload(address, mask)
                    tl.store(_buffer(words, 0, tl.int32) + at, tl.cast(event_id, tl.int32))
                    tl.store(_buffer(words, 1, tl.int32) + at, tl.program_id(0))
                    tl.store(_buffer(words, 2, tl.int32) + at, tl.cast(pid_m, tl.int32))
                    tl.store(_buffer(words, 3, tl.int32) + at, tl.cast(pid_n, tl.int32))
                    tl.store(_buffer(words, 4, tl.int32) + at, self.rank)
                    tl.store(_buffer(words, 5, tl.int32) + at, tl.cast(target_rank, tl.int32))
                    tl.store(_buffer(words, 6, tl.int32) + at, get_xcc_id())
                    tl.store(_buffer(words, 7, tl.int32) + at, get_cu_id())
                    tl.store(_buffer(words, 9, tl.int64) + at, lowest)
                    tl.store(_buffer(words, 11, tl.int32) + at, tl.cast(at, tl.int32))
                    times, payloads = _buffer(words, 8, tl.int64), _buffer(words, 12, tl.int32)
                    tl.store(payloads + at, payload)
                    # Last, so that the time of recording belongs to no event.
                    now = read_realtime()
                    if has_cycles():
                        tl.store(_cycles(payloads, self.max_events, 1) + at, read_cycles())
                    tl.store(times + at, now)
                    handle = tl.cast(at, tl.int32)
        return handle

    @triton.jit
    def record_event_end(self, handle):
        if self.enabled:
            if handle >= 0:
                tl.debug_barrier()  # all threads of the program have arrived
                end = read_realtime()
                if has_cycles():
                    count = read_cycles()
                if handle < self.max_events:
                    if has_cycles():
                        tl.store(_cycles(_buffer(self.words, 12, tl.int32), self.max_events, 2) + handle, count)
                    tl.store(_buffer(self.words, 10, tl.int64) + handle, end)


@triton.jit
def _buffer(words, index: tl.constexpr, dtype: tl.constexpr):
    # Read on use: 13 pointers kept in registers cost a GEMM of 128 x 128 tiles its second program per SM, and so 14 %.
    return tl.cast(tl.load(words + _BUFFERS + index), tl.pointer_type(dtype))


@triton.jit
def _cycles(payloads, max_events, index: tl.constexpr):
    """SM clock at begin and end, after the last of Iris's buffers (host.py)."""
    return payloads + index * max_events


@triton.jit
def _counters(words):
    return tl.cast(tl.load(words + _COUNTERS), tl.pointer_type(tl.int64))


@triton.jit
def _slot(words, max_events, first, slots: tl.constexpr, slot):
    """A slot below `max_events`, or -1, in which case the event is counted. Counters have 64 bits, so programs do not
    overflow them."""
    if slots == 0:
        at = tl.atomic_add(_counters(words), 1, sem="relaxed")
        fits = at < max_events
    else:
        tl.static_assert(slot is not None, "the program claimed its slots in initialize: say which one, slot=0 to slots - 1")
        own = tl.cast(slot, tl.int64)
        at = first + own
        fits = (own >= 0) & (own < slots) & (at < max_events)
        if not fits:
            tl.atomic_add(_counters(words) + _ADJUST, 1, sem="relaxed")
    return tl.where(fits, at, -1)


@triton.jit
def _claim(words, max_events, slots: tl.constexpr):
    """First of the program's own slots. Slots beyond the buffers are claimed, but count as no dropped events."""
    first = tl.cast(0, tl.int64)
    if slots > 0:
        if max_events > 0:
            first = tl.atomic_add(_counters(words), slots, sem="relaxed")
            beyond = tl.minimum(first + slots - max_events, slots)
            if beyond > 0:
                tl.atomic_add(_counters(words) + _ADJUST, -beyond, sem="relaxed")
    return first


@triton.jit
def _lowest(address):
    tl.static_assert(address.dtype.is_ptr(), "the address of an event is a pointer, or a block of pointers")
    value = tl.cast(address, tl.int64)
    if address.type.is_block():
        value = tl.min(value)
    return value


@triton.jit
def _payload(address, mask):
    """Number of bytes that the mask selects; 0 without a mask means unknown."""
    size: tl.constexpr = (address.dtype.element_ty.primitive_bitwidth + 7) // 8
    if mask is None:
        elements = tl.cast(0, tl.int32)
    else:
        elements = tl.cast(mask, tl.int32)
        # A mask of fewer dimensions applies to all others, as in a store.
        repeated: tl.constexpr = (address.numel + elements.numel - 1) // elements.numel
        if elements.type.is_block():
            elements = tl.sum(elements)
        elements *= repeated
    return elements * size


@triton.jit
def _begin(context_tensor, rank, tracing: tl.constexpr, slots: tl.constexpr):
    tl.static_assert(TEXT != "")
    words = context_tensor + 2
    if tracing:
        # The host's own number of ranks: a kernel that was given another one must not write to wrong addresses.
        words += tl.load(context_tensor + 1)
        max_events = tl.load(words + _MAX_EVENTS)
        first = _claim(words, max_events, slots)
    else:
        max_events = tl.cast(0, tl.int64)
        first = max_events
    return DeviceTracing(tracing, slots, tl.cast(rank, tl.int32), words, max_events, first)


@triton.jit
def read_clock(out, STEPS: tl.constexpr):
    """A kernel for the host (clock.py): alternating readings of the device's clock and the compute unit's."""
    for step in range(STEPS):
        tl.store(out + 2 * step, read_realtime())
        if has_cycles():
            tl.store(out + 2 * step + 1, tl.cast(read_cycles(), tl.int64))


@triton.jit
def _translate(pointer, from_rank, to_rank, heap_bases, hint: tl.constexpr):
    """The same offset in the heap of another rank."""
    offset = tl.cast(pointer, tl.int64) - tl.load(heap_bases + from_rank)
    base = tl.cast(tl.load(heap_bases + to_rank), tl.pointer_type(tl.int8))
    there = tl.cast(base + offset, pointer.dtype)
    if hint is not None:
        there = tl.max_contiguous(tl.multiple_of(there, hint), hint)
    return there


@aggregate
class DeviceContext:
    """Context for Triton, with Iris's name and order of arguments."""

    rank: tl.constexpr
    world_size: tl.constexpr
    heap_bases: tl.tensor
    tracing: DeviceTracing

    @triton.constexpr_function
    def __init__(self, rank, world_size, heap_bases, tracing):
        self.rank = tl.constexpr(rank)
        self.world_size = tl.constexpr(world_size)
        self.heap_bases = heap_bases
        self.tracing = tracing

    @staticmethod
    @triton.jit
    def initialize(context_tensor, rank: tl.constexpr, world_size: tl.constexpr, tracing: tl.constexpr = False, slots: tl.constexpr = 0):
        """`slots`: maximum number of events of the program; they are claimed at once, with the program's only atomic."""
        return DeviceContext(rank, world_size, context_tensor + 2, _begin(context_tensor, rank, tracing, slots))

    @triton.jit
    def load(self, pointer, from_rank, mask=None, other=None, cache_modifier=None, volatile=False, hint: tl.constexpr = None):
        there = _translate(pointer, self.rank, from_rank, self.heap_bases, hint)
        return tl.load(there, mask=mask, other=other, cache_modifier=cache_modifier, volatile=volatile)

    @triton.jit
    def store(self, pointer, value, to_rank, mask=None, cache_modifier=None, hint: tl.constexpr = None):
        there = _translate(pointer, self.rank, to_rank, self.heap_bases, hint)
        tl.store(there, value, mask=mask, cache_modifier=cache_modifier)

    @triton.jit
    def get(
        self,
        from_ptr,
        to_ptr,
        from_rank,
        mask=None,
        other=None,
        load_cache_modifier=None,
        store_cache_modifier=None,
        hint: tl.constexpr = None,
    ):
        """Copies from the heap of another rank to memory of this one."""
        there = _translate(from_ptr, self.rank, from_rank, self.heap_bases, hint)
        tl.store(
            to_ptr,
            tl.load(there, mask=mask, other=other, cache_modifier=load_cache_modifier),
            mask=mask,
            cache_modifier=store_cache_modifier,
        )

    @triton.jit
    def put(
        self,
        from_ptr,
        to_ptr,
        to_rank,
        mask=None,
        other=None,
        load_cache_modifier=None,
        store_cache_modifier=None,
        hint: tl.constexpr = None,
    ):
        """Copies from memory of this rank to the heap of another one."""
        there = _translate(to_ptr, self.rank, to_rank, self.heap_bases, hint)
        tl.store(
            there,
            tl.load(from_ptr, mask=mask, other=other, cache_modifier=load_cache_modifier),
            mask=mask,
            cache_modifier=store_cache_modifier,
        )

    @triton.jit
    def atomic_add(self, pointer, val, to_rank, mask=None, sem=None, scope=None, hint: tl.constexpr = None):
        there = _translate(pointer, self.rank, to_rank, self.heap_bases, hint)
        return tl.atomic_add(there, val, mask=mask, sem=sem, scope=scope)

    @triton.jit
    def atomic_xchg(self, pointer, val, to_rank, mask=None, sem=None, scope=None, hint: tl.constexpr = None):
        there = _translate(pointer, self.rank, to_rank, self.heap_bases, hint)
        return tl.atomic_xchg(there, val, mask=mask, sem=sem, scope=scope)

    @triton.jit
    def atomic_cas(self, pointer, cmp, val, to_rank, sem=None, scope=None, hint: tl.constexpr = None):
        there = _translate(pointer, self.rank, to_rank, self.heap_bases, hint)
        return tl.atomic_cas(there, cmp, val, sem=sem, scope=scope)


TritonContext = DeviceContext  # its name in an intermediate version of Iris


@aggregate
class TraceEvent:
    """`TraceEvent().put` in a kernel, as in Iris; a number works, too. The numbers of ids.py are repeated here because
    Triton hashes this text."""

    load: tl.constexpr
    store: tl.constexpr
    get: tl.constexpr
    put: tl.constexpr
    copy: tl.constexpr
    atomic_add: tl.constexpr
    atomic_sub: tl.constexpr
    atomic_cas: tl.constexpr
    atomic_xchg: tl.constexpr
    atomic_xor: tl.constexpr
    atomic_and: tl.constexpr
    atomic_or: tl.constexpr
    atomic_min: tl.constexpr
    atomic_max: tl.constexpr
    fetch: tl.constexpr
    compute: tl.constexpr
    reduce: tl.constexpr
    wait: tl.constexpr
    barrier: tl.constexpr

    @triton.constexpr_function
    def __init__(self):
        self.load = tl.constexpr(0)
        self.store = tl.constexpr(1)
        self.get = tl.constexpr(2)
        self.put = tl.constexpr(3)
        self.copy = tl.constexpr(4)
        self.atomic_add = tl.constexpr(5)
        self.atomic_sub = tl.constexpr(6)
        self.atomic_cas = tl.constexpr(7)
        self.atomic_xchg = tl.constexpr(8)
        self.atomic_xor = tl.constexpr(9)
        self.atomic_and = tl.constexpr(10)
        self.atomic_or = tl.constexpr(11)
        self.atomic_min = tl.constexpr(12)
        self.atomic_max = tl.constexpr(13)
        self.fetch = tl.constexpr(1024)
        self.compute = tl.constexpr(2048)
        self.reduce = tl.constexpr(2049)
        self.wait = tl.constexpr(3072)
        self.barrier = tl.constexpr(3073)
