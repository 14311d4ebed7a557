"""Profiles for a store that hold every bound of docs/profile.md, on either side of what decides it."""
PASSES = 4
GEMM = 100e9
READ = 20e9


def limits(gemm_load=0.0, read_load=0.05):
    """The peaks of a case; up to 0.05 processors of others are no disturbance."""
    return {"gemm": {"quantity": "gemm_fp32", "value": GEMM, "foreign_load": gemm_load},
            "read_bandwidth": {"quantity": "read_bandwidth", "value": READ, "foreign_load": read_load}}


NONE = {kind: {"reason": "no peaks: --peaks off"} for kind in ("gemm", "read_bandwidth")}


def work(own_ms, gemm=0.0, read=0.0):
    """A self time with the FLOPs and bytes that take these shares of it at the peaks."""
    return {"self_s": own_ms * 1e-3, "flops": gemm * own_ms * 1e-3 * GEMM, "bytes": read * own_ms * 1e-3 * READ}


def call(place, calls=1, host_ms=0.0, **amounts):
    """`place` is "STAGE/MODULE/OPERATOR", the first two may be empty; amounts are those of a pass."""
    stage, module, name = place.split("/")
    return {"stage": stage, "module": module, "name": name, "calls": calls, "host_s": host_ms * 1e-3, **amounts}


def document(calls, rest_ms=1.0, profiled=(1.0,) * PASSES, on_gpu=False, counted_by=""):
    """Modules and stages have no time of their own. `profiled`: the time of each pass ÷ their mean."""
    whole_s = rest_ms * 1e-3 + sum(one["self_s"] for one in calls)
    nodes = [node(0, "pass", "forward pass", 1, total_s=whole_s, self_s=rest_ms * 1e-3)]
    for one in calls:
        above = 0
        for kind in ("stage", "module"):
            if one[kind]:
                nodes.append(node(above, kind, one[kind], 1, total_s=one["self_s"]))
                above = len(nodes) - 1
        amounts = {name: one[name] for name in ("self_s", "flops", "bytes", "host_s")}
        nodes.append(node(above, "operator", one["name"], one["calls"], total_s=one["self_s"], **amounts))
    return {"nodes": nodes, "passes": PASSES, "batches": 1, "streams": 1, "merged_spans": 0, "memory": None,
            "counters": None, "gpu": {"kernels": []} if on_gpu else None, "unprofiled_s": [0.9 * whole_s] * 2 * PASSES,
            "profiled_s": [whole_s * share for share in profiled], "counted_by": counted_by}


def node(parent, kind, name, calls, **amounts):
    of_passes = {key: value * PASSES for key, value in amounts.items()}
    return {"parent": parent, "kind": kind, "name": name, "phase": None, "calls": int(calls * PASSES), "self_s": 0.0,
            "flops": 0.0, "bytes": 0.0, "allocated_bytes": 0.0, "host_s": 0.0, **of_passes}


# Name: (document, peaks of the case, the bounds in the order of the sentences).
PROFILES = {
    "at a limit": (document([
        call("/m.layer.0.lin/aten::addmm", **work(4, gemm=0.52, read=0.3)),
        call("/m.layer.1.lin/aten::addmm", **work(4, gemm=0.52, read=0.3)),
        call("/m.layer.0.norm/aten::native_layer_norm", **work(3, gemm=0.2, read=0.52)),
        call("/m.layer.0.act/aten::gelu", calls=2.5, **work(2, read=1.1)),
        call("/m.layer.1.act/aten::tanh", **work(1.9, read=0.9))]), limits(), ["compute", "memory", "cache"]),
    "near both limits": (document([
        call("/m.0.lin/aten::addmm", **work(4, gemm=0.7, read=0.8)),
        call("/m.1.lin/aten::mm", **work(3, gemm=1.3, read=0.7)),
        call("/m.2.lin/aten::bmm", **work(2, gemm=0.8, read=1.2))]), limits(), ["memory", "compute", "cache"]),
    "far from limits": (document([
        call("/m.lin/aten::addmm", **work(4, gemm=0.48, read=0.3)),
        call("/m.lin/aten::view", calls=310, **work(3, gemm=0.1)),
        call("//aten::copy_", calls=190, **work(2, read=0.48))]), limits(), ["other", "overhead", "unknown"]),
    "not recorded": (document([call("/m.lin/aten::view", calls=310, **work(3))]), limits(), ["unknown"]),
    "stages": (document([
        call("backward/m.lin/aten::mm", **work(4, gemm=0.9)),
        call("optimizer//aten::_fused_adamw_", **work(3)),
        call("forward/m.lin/aten::mm", **work(2, gemm=0.9))]), limits(), ["compute", "unknown", "compute"]),
    "disturbed products": (document([
        call("/m.0.lin/aten::addmm", **work(4, gemm=0.9, read=0.6)),
        call("/m.1.norm/aten::native_layer_norm", **work(3, read=0.6)),
        call("/m.2.lin/aten::bmm", calls=310, **work(2, gemm=0.9))]), limits(gemm_load=0.06),
        ["unknown", "memory", "unknown"]),
    "disturbed products, bounds without": (document([
        call("/m.0.lin/aten::addmm", **work(4, gemm=0.9, read=1.1)),
        call("/m.1.lin/aten::view", calls=310, **work(3))]), limits(gemm_load=0.06), ["cache", "overhead"]),
    "disturbed memory": (document([
        call("/m.0.lin/aten::addmm", **work(4, read=0.9)),
        call("/m.1.lin/aten::mm", **work(3, gemm=0.6, read=0.9)),
        call("/m.2.lin/aten::bmm", **work(2, gemm=0.6))]), limits(read_load=1.25), ["unknown", "unknown", "compute"]),
    "no peaks": (document([call("/m.lin/aten::addmm", **work(4, gemm=0.9))]), NONE, ["unknown"]),
    "slow passes": (document([call("/m.lin/aten::addmm", **work(4, gemm=0.9))], profiled=(0.7, 0.7, 0.7, 1.9)), limits(),
                    ["compute"]),
    "another library": (document([
        call("/m.0.lin/linear (brgemm_avx512_f32)", **work(4, gemm=0.9)),
        call("//(library, outside nodes)", **work(3))], counted_by="OpenVINO 2026.4.1"), limits(), ["compute", "unknown"]),
    "a GPU": (document([
        call("/m.0.lin/aten::addmm", host_ms=3.9, **work(4, gemm=0.3, read=0.1)),
        call("/m.1.lin/aten::mm", host_ms=3.1, calls=310, **work(3, gemm=0.3)),
        call("/m.2.lin/aten::bmm", host_ms=2.5, **work(2, gemm=0.6))], on_gpu=True), limits(),
        ["other", "overhead", "compute"]),
}
