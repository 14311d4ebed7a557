// The answer that would be given now says what to measure next.
#include "cli/measured_choice.h"

#include "cli/run_part.h"
#include "cli/run_session.h"
#include "run/prepare_run.h"

namespace transformeter {

RunOutcome measure_choice(const Context& context, Store& store, const std::string& store_path, BaselineStore& baselines,
                          const ChoiceRequest& request, Seconds most) {
  ChoiceRequest asked = request;
  asked.interrupt = nullptr;                                            // the runner looks after it
  [[maybe_unused]] const StoredChoice before(store, baselines, asked);  // its errors come before anything is measured
  const RunPart part = part_named(store, baselines, named_parts(request.parts).front());
  StoredRun stored = resumed_run(context, store, part.run, "");
  RunnerOptions options = runner_options(stored.plan, context.clock);
  options.interrupt = request.interrupt;
  options.budget.total = most;
  options.spends_rest = true;
  options.after_slices = AfterSlices::kChoose;
  options.further_cases = [&] { return StoredChoice(store, baselines, asked).undecided_cases(); };
  return execute_with_progress(context, store, store_path, stored.run, options);
}

}  // namespace transformeter
