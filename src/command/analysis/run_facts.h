// What a run tells of its machine and programs, and by what a difference of it may change a result.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schema/record.h"

namespace transformeter {

/// Through what a difference acts, most likely first.
enum class Cause {
  kSettings,  // what was asked for
  kWorkload,  // texts and weights
  kKernels,   // what ran
  kWorker,
  kLibraries,
  kDevice,
  kProcessor,
  kCores,
  kFrequency,
  kMemory,
  kKernel,
  kLoad,
  kMeasuring,  // how long and how often
  kProgram,
};

struct CauseTerm {
  Cause cause;
  std::string_view name;  // "processor"
  std::string_view why;   // how it changes results, completes a row of a table
};

/// Every cause, in the order of its likely effect.
std::span<const CauseTerm> cause_terms();
const CauseTerm& cause_term(Cause cause);

/// Who asks for a fact besides `diff` and `trend`, which ask for all.
enum class FactUse {
  kMachine,   // decides how fast a machine can be: `compare` takes runs that differ in it for not alike
  kPrograms,  // `compare` may be about it and names it
  kBuild,     // likewise, of the worker that measured a case
  kDetail,    // none
};

struct RunFact {
  Cause cause = Cause::kSettings;
  const char* name = "";
  const char* place = "";  // JSON pointer in RunRecord::host; of a worker below "/worker"
  FactUse use = FactUse::kDetail;
};

/// In the order of their causes.
std::span<const RunFact> run_facts();

/// Whether the worker's description of itself has the fact.
bool is_of_worker(const RunFact& fact);
/// Its place in that description: "/libtorch" of "/worker/libtorch".
std::string place_in_worker(const RunFact& fact);

inline constexpr const char* kUnknownFact = "unknown";
inline constexpr const char* kKernelPlace = "/os/kernel_release";
inline constexpr const char* kFingerprintPlace = "/fingerprint";

/// What stands at the place, for people: bytes with a prefix, a list with commas, of a SHA-256 its beginning, an object
/// as JSON; kUnknownFact where it is null or missing.
std::string fact_text(const Json& json, const std::string& place);
/// Whether two texts of a fact are both known and differ: a worker that died tells nothing.
bool is_known_change(std::string_view from, std::string_view to);
/// Of 64 hexadecimal digits the first twelve; any other text as it is.
std::string shown_hash(const std::string& text);

/// Of the worker that measured the case: its own in a live comparison, else the run's.
struct WorkerFacts {
  std::string path;  // empty: the run's
  Json build;        // what it said of itself: libtorch, git_commit, ...
};
WorkerFacts worker_of(const RunRecord& run, const CaseRecord& record);

/// The GPU's name, "none" without one; kUnknownFact of a case that died before it warmed up.
std::string gpu_name(const CaseRecord& record);

}  // namespace transformeter
