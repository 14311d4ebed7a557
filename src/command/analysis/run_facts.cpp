// The table is read by `compare`, `trend` and `diff`.
#include "analysis/run_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/units.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::array kCauses{
    CauseTerm{Cause::kSettings, "settings", "other work, or done in another way"},
    CauseTerm{Cause::kWorkload, "workload", "other texts or weights: times answer another question"},
    CauseTerm{Cause::kKernels, "kernels that ran", "the same operations by other code"},
    CauseTerm{Cause::kWorker, "worker", "another build of what is measured"},
    CauseTerm{Cause::kLibraries, "libraries", "most of the time is spent in them"},
    CauseTerm{Cause::kDevice, "GPU", "another device"},
    CauseTerm{Cause::kProcessor, "processor", "other clock rates, caches and instructions"},
    CauseTerm{Cause::kCores, "cores", "how much of the machine may be used"},
    CauseTerm{Cause::kFrequency, "frequency", "clock rates change with load and temperature"},
    CauseTerm{Cause::kMemory, "memory", "page sizes, limits and placement"},
    CauseTerm{Cause::kKernel, "kernel", "scheduling, page faults and mitigations"},
    CauseTerm{Cause::kLoad, "load", "what other programs took of the processors"},
    CauseTerm{Cause::kMeasuring, "measuring", "wider or narrower intervals, not another speed"},
    CauseTerm{Cause::kProgram, "program", "the command, which is not timed"},
};

using enum Cause;
constexpr std::array kFacts{
    RunFact{kWorker, "worker's commit", "/worker/git_commit", FactUse::kBuild},
    RunFact{kWorker, "worker's version", "/worker/version"},
    RunFact{kWorker, "worker's SHA-256", "/worker/sha256"},
    RunFact{kWorker, "worker's compiler", "/worker/compiler"},
    RunFact{kWorker, "worker's plug-ins", "/worker/plugins"},
    RunFact{kLibraries, "LibTorch", "/worker/libtorch", FactUse::kBuild},
    RunFact{kLibraries, "oneDNN", "/worker/onednn"},
    RunFact{kLibraries, "MKL", "/worker/mkl"},
    RunFact{kLibraries, "OpenMP", "/worker/openmp"},
    RunFact{kLibraries, "parallel backend", "/worker/parallel_backend"},
    RunFact{kProcessor, "processor", "/cpu/model", FactUse::kMachine},
    RunFact{kProcessor, "processor number", "/cpu/model_number", FactUse::kMachine},
    RunFact{kProcessor, "stepping", "/cpu/stepping"},
    RunFact{kProcessor, "instruction set", "/worker/instruction_set"},
    RunFact{kProcessor, "caches", "/topology/caches"},
    RunFact{kProcessor, "hypervisor", "/virtualization/hypervisor"},
    RunFact{kCores, "cores", "/topology/core_count", FactUse::kMachine},
    RunFact{kCores, "CPUs allowed", "/container/allowed_cpu_count", FactUse::kMachine},
    RunFact{kCores, "CPU limit", "/container/cpu_limit_count", FactUse::kMachine},
    RunFact{kCores, "hardware threads", "/topology/hardware_thread_count"},
    RunFact{kCores, "hyper-threading", "/topology/hyper_threading"},
    RunFact{kCores, "sockets", "/topology/socket_count"},
    RunFact{kCores, "NUMA nodes", "/topology/numa_node_count"},
    RunFact{kFrequency, "governors", "/frequency/governors"},
    RunFact{kFrequency, "turbo", "/frequency/turbo"},
    RunFact{kFrequency, "highest frequency", "/frequency/scaling_max_hz"},
    RunFact{kFrequency, "frequency drivers", "/frequency/drivers"},
    RunFact{kFrequency, "microcode", "/cpu/microcode"},
    RunFact{kMemory, "memory", "/memory/total_bytes"},
    RunFact{kMemory, "memory limit", "/container/memory_limit_bytes"},
    RunFact{kMemory, "transparent huge pages", "/memory/transparent_huge_pages"},
    RunFact{kMemory, "huge pages", "/memory/huge_page_count"},
    RunFact{kMemory, "NUMA balancing", "/memory/numa_balancing"},
    RunFact{kKernel, "kernel", kKernelPlace, FactUse::kPrograms},
    RunFact{kKernel, "system", "/os/name"},
    RunFact{kKernel, "mitigations", "/mitigations"},
    RunFact{kProgram, "program's version", "/program/version"},
    RunFact{kProgram, "program's commit", "/program/git_commit"},
};

constexpr std::string_view kWorkerPlace = "/worker";
constexpr std::string_view kBytesEnding = "_bytes";

// Of a cache its name and size.
std::string element_text(const Json& element) {
  if (element.is_string()) return element.get<std::string>();
  if (!element.is_object() || !element.contains("name") || !element.contains("size_bytes")) return element.dump();
  return fmt::format("{} {}", fact_text(element, "/name"), fact_text(element, "/size_bytes"));
}

std::string list_text(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& element : list) texts.push_back(element_text(element));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::span<const CauseTerm> cause_terms() {
  return kCauses;
}

const CauseTerm& cause_term(Cause cause) {
  return *std::find_if(kCauses.begin(), kCauses.end(), [&](const CauseTerm& term) { return term.cause == cause; });
}

std::span<const RunFact> run_facts() {
  return kFacts;
}

bool is_of_worker(const RunFact& fact) {
  return std::string_view(fact.place).starts_with(kWorkerPlace);
}

std::string place_in_worker(const RunFact& fact) {
  return std::string(std::string_view(fact.place).substr(kWorkerPlace.size()));
}

std::string fact_text(const Json& json, const std::string& place) {
  const Json::json_pointer pointer(place);
  if (!json.is_object() || !json.contains(pointer) || json.at(pointer).is_null()) return kUnknownFact;
  const Json& value = json.at(pointer);
  if (value.is_number() && place.ends_with(kBytesEnding)) return format_bytes(value.get<double>());
  if (value.is_array()) return list_text(value);
  if (!value.is_string()) return value.dump();
  return shown_hash(value.get<std::string>());
}

bool is_known_change(std::string_view from, std::string_view to) {
  return from != to && from != kUnknownFact && to != kUnknownFact;
}

std::string shown_hash(const std::string& text) {
  constexpr std::size_t kShownDigits = 12;
  const bool is_hash = text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash ? text.substr(0, kShownDigits) : text;
}

WorkerFacts worker_of(const RunRecord& run, const CaseRecord& record) {
  const Json& launch = record.launch;
  if (launch.is_object() && launch.contains("worker_build")) {
    const std::filesystem::path path(launch.value("worker", std::string()));
    return {path.lexically_normal().string(), launch.at("worker_build")};
  }
  return {"", run.host.is_object() ? run.host.value("worker", Json()) : Json()};
}

std::string gpu_name(const CaseRecord& record) {
  const Json::json_pointer place("/device_facts/name");
  const Json& effective = record.effective;
  if (!effective.is_object()) return kUnknownFact;
  if (effective.contains(place)) return setting_text(effective.at(place));
  return effective.contains("device") ? "none" : kUnknownFact;
}

}  // namespace transformeter
