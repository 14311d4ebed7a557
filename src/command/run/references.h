// The references of a run: each computed once by its own worker, kept for the run and cached for later runs.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "base/units.h"
#include "run/expand.h"
#include "run/reference_cache.h"
#include "schema/outputs.h"

namespace transformeter {

struct ReferenceOptions {
  std::filesystem::path worker;
  Json worker_build = Json::object();  // as the worker describes itself
  Seconds worker_timeout{120};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// A case's reference, or why there is none.
struct Reference {
  std::string key;
  std::optional<ReferenceOutputs> computed;
  std::string failure;       // what went wrong in making it
  bool interrupted = false;  // by the user: the run ends
};

/// Not thread-safe. Computes a reference only on request and starts one worker at a time; the caller must ensure that
/// no other worker is measuring.
class References {
 public:
  References(const Context& context, const ReferenceOptions& options);

  /// From memory, the cache, or a worker; `on_making` is called before a worker starts. The result lives as long as
  /// this object.
  const Reference& of(const PlannedCase& planned, const std::function<void()>& on_making);

  /// Of the references these cases still need, as long as the longest so far: nothing is known before the first.
  Seconds time_to_make(const std::vector<const PlannedCase*>& cases);

 private:
  const std::string& key_of(const PlannedCase& planned);
  Reference make(const PlannedCase& planned) const;

  const Context& context_;
  ReferenceOptions options_;
  Json worker_;  // what identifies the worker
  int cores_;
  ReferenceCache cache_;
  std::map<std::string, std::string> keys_;      // by the case's id
  std::map<std::string, Reference> references_;  // by key
  Seconds largest_cost_{0};
};

}  // namespace transformeter
