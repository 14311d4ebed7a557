"""The environment of an arm: threads, waiting that soon sleeps, and the allocator."""
from __future__ import annotations

import os

_ABOVE_ALL = 1 << 40
_RAISED = (f"glibc.malloc.mmap_threshold={_ABOVE_ALL}:glibc.malloc.trim_threshold={_ABOVE_ALL}:"
           "glibc.malloc.arena_max=1")
_HUGE = "glibc.malloc.hugetlb=1"

#: What the word after a peer's name may be, as in hf-sdpa:glibc_raised.
ALLOCATORS: dict[str, dict[str, str]] = {
    "glibc": {},
    "glibc_huge": {"GLIBC_TUNABLES": _HUGE},
    "glibc_raised": {"GLIBC_TUNABLES": _RAISED},
    "glibc_raised_huge": {"GLIBC_TUNABLES": f"{_RAISED}:{_HUGE}"},
    "jemalloc": {"LD_PRELOAD": "libjemalloc.so.2",
                 "MALLOC_CONF": "background_thread:false,dirty_decay_ms:-1,muzzy_decay_ms:-1"},
    "mimalloc": {"LD_PRELOAD": "libmimalloc.so.2", "MIMALLOC_RESERVE_OS_MEMORY": f"{2 << 20}KiB",
                 "MIMALLOC_PURGE_DELAY": "-1", "MIMALLOC_ALLOW_DECOMMIT": "0", "MIMALLOC_PAGE_RESET": "0"},
}

#: Threads that wait spin for a moment, as everywhere, and then sleep: an arm whose turn it is not costs nothing. GNU's
#: OpenMP does so by default; LLVM's and Intel's would spin for 200 ms.
_SHORT_SPIN = {"KMP_BLOCKTIME": "1"}
_OF_THE_CALLER = ("GLIBC_TUNABLES", "LD_PRELOAD", "MALLOC_CONF", "MALLOC_ARENA_MAX", "GOMP_SPINCOUNT",
                  "OMP_WAIT_POLICY")


def environment(allocator: str, threads: int) -> dict[str, str]:
    """For a process of one arm; what the caller's environment says of allocators is taken out."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_THE_CALLER}
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TOKENIZERS_PARALLELISM": "false",
             "PYTHONWARNINGS": "ignore", "ORT_DISABLE_TELEMETRY": "1"}
    return {**inherited, **counts, **_SHORT_SPIN, **quiet, **ALLOCATORS[allocator]}
