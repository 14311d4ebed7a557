"""The environment of an arm: threads, waiting that does not spin, and the allocator. The same for all but the allocator."""
from __future__ import annotations

import os

_LARGE = 1 << 30  # buffers below it stay in the heap, and the heap keeps what is freed

#: What the word after a peer's name may be, as in hf-sdpa:glibc_raised.
ALLOCATORS: dict[str, dict[str, str]] = {
    "glibc": {},
    "glibc_raised": {"GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={_LARGE}:glibc.malloc.trim_threshold={16 * _LARGE}"},
    "jemalloc": {"LD_PRELOAD": "libjemalloc.so.2"},
    "mimalloc": {"LD_PRELOAD": "libmimalloc.so.2"},
}

#: Threads that wait sleep, so that an arm whose turn it is not costs nothing.
_PASSIVE = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
_OF_THE_CALLER = ("GLIBC_TUNABLES", "LD_PRELOAD", "MALLOC_ARENA_MAX", "GOMP_SPINCOUNT")


def environment(allocator: str, threads: int) -> dict[str, str]:
    """For a process of one arm; what the caller's environment says of allocators is taken out."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_THE_CALLER}
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TOKENIZERS_PARALLELISM": "false",
             "PYTHONWARNINGS": "ignore"}
    return {**inherited, **counts, **_PASSIVE, **quiet, **ALLOCATORS[allocator]}
