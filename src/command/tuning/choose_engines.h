// Engine `auto`: for each case of it the settings that are best here, found by short trials or kept from before.
#pragma once

#include <cstddef>
#include <functional>

#include "base/context.h"
#include "run/prepare_run.h"
#include "run/progress.h"
#include "store/store.h"
#include "tuning/kept_engines.h"

namespace transformeter {

struct EngineSearch {
  const CaseRecord& the_case;
  std::size_t index = 0;  // among the cases of engine auto
  std::size_t count = 0;
};

/// Told as searches go on.
struct SearchEvents {
  Progress& trials;
  std::function<void(std::size_t searches, Seconds each)> begun;  // `each` at most
  std::function<void(const EngineSearch& search)> started;
  /// `was_kept`: from an earlier search.
  std::function<void(const EngineSearch& search, const EngineChoice& choice, bool was_kept)> done;
};

/// Whether any case is still to be given its engine's settings.
bool has_engine_to_choose(const PreparedRun& run);

/// Gives each case of engine `auto` the settings that its search chose, and says in the run's host ("engine_choices":
/// {case id: choice}) what that was. A search races the start, which is what the worker's engine `auto` chooses without
/// trials, against other values of the settings that `plan` leaves open; races the combinations of what was faster;
/// and at last the best against the start once more, in fresh workers. What was not decidedly better there is not
/// taken. The trials are runs of their own in `store`, of the role trial. Choices are kept by machine, worker build,
/// model, workload and limits. Throws Error(kInterrupted), and what execute throws.
void choose_engines(const Context& context, Store& store, const Plan& plan, const RunnerOptions& options,
                    PreparedRun& run, const SearchEvents& events);

}  // namespace transformeter
