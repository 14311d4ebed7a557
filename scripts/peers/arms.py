"""The arms of a comparison: names as a user gives them, and how each is started."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

from peers import arm, checkpoints, engines, inputs, launch, our_training, ours, training_inputs
from peers.engines.base import NotThere
from peers.session import Session
from peers.workloads import Workload

REFERENCE = "hf-eager"  # in fp32: what outputs are held to
TRAINING_REFERENCE = "torch-loop-eager"  # in fp32: what losses are held to

#: Peers as they come; PyTorch's, which take large buffers from malloc, also with `fast`'s, which keeps them.
DEFAULT_PEERS = ("hf-eager", "hf-sdpa", "hf-sdpa:glibc_raised_huge", "torch-compile", "torch-compile:glibc_raised_huge",
                 "onnxruntime", "openvino", "openvino-mixed", "openvino-streams", "ctranslate2",
                 "torch-loop", "torch-loop:glibc_raised_huge", "hf-trainer", "hf-trainer:glibc_raised_huge", "hf-trainer-padded")


@dataclass(frozen=True)
class Site:
    """Where everything lies, and what all arms share."""

    folder: pathlib.Path  # checkpoints, inputs, converted models, logs
    data: pathlib.Path
    worker: pathlib.Path
    threads: int
    layers: int | None = None  # models are cut to them, for a trial

    def checkpoint(self, workload: Workload) -> pathlib.Path:
        return self.folder / "checkpoints" / workload.model

    def checkpoint_without_dropout(self, workload: Workload) -> pathlib.Path:
        return self.folder / "checkpoints" / f"{workload.model}-without-dropout"

    def inputs(self, workload: Workload) -> pathlib.Path:
        return self.folder / "inputs" / workload.name

    def reference(self, workload: Workload) -> pathlib.Path:
        name, suffix = (TRAINING_REFERENCE, "json") if workload.is_training else (REFERENCE, "npz")
        versions = engines.all_engines()[name].versions()
        return self.inputs(workload) / f"reference-{'-'.join(versions.values())}.{suffix}"

    def log(self, name: str, workload: Workload, precision: str) -> pathlib.Path:
        folder = self.folder / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{workload.name}-{precision}-{name.replace(':', '-')}.log"

    def make_inputs(self, workload: Workload) -> None:
        """Checkpoint and inputs, made where they are not there."""
        self.checkpoint(workload).parent.mkdir(parents=True, exist_ok=True)
        checkpoints.save(workload.model, self.checkpoint(workload), self.data, self.layers)
        if workload.is_training:
            checkpoints.save_without_dropout(workload.model, self.checkpoint_without_dropout(workload),
                                             self.checkpoint(workload))
        (training_inputs if workload.is_training else inputs).make(workload, self.data, self.inputs(workload))


@dataclass(frozen=True)
class Arm:
    """A peer or ours, by name; `allocator` is a launch setting."""

    name: str
    allocator: str
    our: ours.OurArm | None = field(default=None)

    @property
    def is_ours(self) -> bool:
        return self.our is not None

    def applies(self, workload: Workload, precision: str) -> bool:
        """False for arms that are another precision's or workload's by definition: they are no skipped ones."""
        part = self.our or engines.all_engines()[_engine(self.name)]
        return part.is_for(workload, precision)

    def why_not(self, workload: Workload, precision: str) -> str | None:
        if self.our:
            return None  # the worker itself says so
        engine = engines.all_engines()[_engine(self.name)]
        return engine.missing() or engine.why_not(workload, precision)

    def _job(self, site: Site, workload: Workload, precision: str) -> dict:
        name = _engine(self.name)
        versions = "-".join(engines.all_engines()[name].versions().values())
        artefacts = site.folder / "converted" / f"{name.partition('-')[0]}-{versions}"
        return {"engine": name, "workload": workload.name, "precision": precision, "threads": site.threads,
                "checkpoint": str(site.checkpoint(workload)), "inputs": str(site.inputs(workload)),
                "artefacts": str(artefacts)}

    def prepare(self, site: Site, workload: Workload, precision: str) -> None:
        """Everything that comes before a first start."""
        if not self.our and engines.all_engines()[_engine(self.name)].has_preparation:
            arm.prepare(self._job(site, workload, precision), launch.environment("glibc", site.threads),
                        site.log(self.name + "-prepare", workload, precision))

    def start(self, site: Site, workload: Workload, precision: str):
        """The process, loaded and warm; `NotThere` says why there is none."""
        environment = launch.environment(self.allocator, site.threads)
        log = site.log(self.name, workload, precision)
        if not self.our:
            return arm.PeerProcess(self.name, self._job(site, workload, precision), environment, log)
        session = self._session(site, log)
        try:
            if workload.is_training:
                return self._our_training(site, workload, precision, session)
            places = {"model": str(site.checkpoint(workload)), "data": str(site.inputs(workload) / "data.tsv")}
            process = ours.start(self.our, workload, precision, places, site.threads, session)
            process.check_tokens(inputs.read(workload, site.inputs(workload)))
            return process
        except NotThere:
            session.close()
            raise

    def _session(self, site: Site, log: pathlib.Path) -> Session:
        with open(log, "w", encoding="utf-8") as file:
            return Session(site.worker, launch.environment(self.allocator, site.threads), file)

    def _our_training(self, site: Site, workload: Workload, precision: str,
                      session: Session) -> our_training.OurTraining:
        folder = site.inputs(workload)
        places = {"model": str(site.checkpoint(workload)),
                  "data": str(training_inputs.data_file(workload, folder, "data"))}
        steps = training_inputs.steps_in_a_pass(training_inputs.read(folder), workload.batch_size, workload.length)
        return our_training.OurTraining(self.our, workload, precision, places, steps, session)

    def losses(self, site: Site, workload: Workload, precision: str) -> list[float]:
        """Of a training's first steps without dropout, all of the same batch, in a process of their own."""
        checkpoint = str(site.checkpoint_without_dropout(workload))
        log = site.log(self.name + "-losses", workload, precision)
        if not self.our:
            job = self._job(site, workload, precision) | {"checkpoint": checkpoint}
            return arm.losses(job, launch.environment(self.allocator, site.threads), log)
        folder = site.inputs(workload)
        rows = training_inputs.read(folder)[:workload.batch_size]
        places = {"model": checkpoint, "data": str(training_inputs.data_file(workload, folder, "check"))}
        session = self._session(site, log)
        try:
            return our_training.first_losses(self.our, workload, precision, places,
                                             sum(len(row["input_ids"]) for row in rows), session)
        finally:
            session.close()


def _engine(name: str) -> str:
    return name.partition(":")[0]


def peer_arms(names: list[str]) -> list[Arm]:
    """Arms of NAME or NAME:ALLOCATOR; an unknown name or allocator ends the program with those that are known."""
    known = engines.all_engines()
    arms = []
    for name in names or DEFAULT_PEERS:
        engine, _, allocator = name.partition(":")
        if engine not in known:
            raise SystemExit(f"bench_peers: unknown peer '{engine}'; known: {', '.join(known)}, each also with "
                             f":ALLOCATOR ({', '.join(launch.ALLOCATORS)})")
        if allocator and allocator not in launch.ALLOCATORS:
            raise SystemExit(f"bench_peers: unknown allocator '{allocator}'; known: "
                             f"{', '.join(launch.ALLOCATORS)}")
        arms.append(Arm(name, allocator or "glibc"))
    return arms


def our_arms(names: list[str]) -> list[Arm]:
    """Those of `ours.OUR_ARMS` and `our_training.ARMS` by name, or all."""
    known = {one.name: one for one in ours.OUR_ARMS + our_training.ARMS}
    for name in names:
        if name not in known:
            raise SystemExit(f"bench_peers: unknown arm '{name}'; known: {', '.join(known)}")
    return [Arm(name, known[name].allocator, known[name]) for name in names or known]
