// The answer that would be given now says what to measure next.
#include "cli/measured_choice.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "cli/run_part.h"
#include "cli/run_session.h"
#include "run/prepare_run.h"

namespace transformeter {
namespace {

std::vector<std::size_t> process_counts(const PreparedRun& run) {
  std::vector<std::size_t> counts;
  for (const PlannedCase& planned : run.cases) counts.push_back(planned.record.replicates.size());
  return counts;
}

// "measured: 9 more processes of 3 cases in 51 s; ended: "
std::string measured_text(const std::vector<std::size_t>& before, const std::vector<std::size_t>& now, Seconds took) {
  std::size_t processes = 0;
  std::size_t cases = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    processes += now[i] - before[i];
    cases += now[i] > before[i] ? 1 : 0;
  }
  if (processes == 0) return "measured: nothing; ended: ";
  return fmt::format("measured: {} more {} of {} in {}; ended: ", processes, processes == 1 ? "process" : "processes",
                     counted(cases, "case"), format_duration(took.count()));
}

}  // namespace

RunOutcome measure_choice(const Context& context, Store& store, const std::string& store_path, BaselineStore& baselines,
                          ChoiceRequest& request, Seconds most) {
  const RunPart part = part_named(store, baselines, named_parts(request.parts).front());
  StoredRun stored = resumed_run(context, store, part.run, "");
  // The latest run may be another one by the time this is measured.
  if (request.parts.empty()) request.parts = {stored.run.record.id};
  ChoiceRequest asked = request;
  asked.interrupt = nullptr;  // the runner looks after it
  const auto undecided = [&] { return StoredChoice(store, baselines, asked).undecided_cases(); };
  undecided();  // its errors come before anything is measured
  RunnerOptions options = runner_options(stored.plan, context.clock);
  options.interrupt = request.interrupt;
  options.budget.total = most;
  options.after_slices = AfterSlices::kChoose;
  options.further_cases = undecided;
  const std::vector<std::size_t> before = process_counts(stored.run);
  const auto start = context.clock.now();
  RunOutcome outcome = execute_with_progress(context, store, store_path, stored.run, options);
  const Seconds took = context.clock.now() - start;
  outcome.interrupted = outcome.interrupted || (request.interrupt != nullptr && request.interrupt->load());
  const char* why = outcome.interrupted   ? "interrupted; the same command goes on"
                    : undecided().empty() ? "every choice is decided, or more processes would not decide it"
                                          : "time is up, or an open case failed or has had its 20 processes";
  context.log(LogLevel::kInfo, measured_text(before, process_counts(stored.run), took) + why);
  return outcome;
}

}  // namespace transformeter
