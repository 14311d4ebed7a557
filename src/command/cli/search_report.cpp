// Trials are many and short: only what a search found stays on the screen.
#include "cli/search_report.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/run_progress.h"
#include "report/engine_choice_text.h"
#include "schema/baseline.h"
#include "tuning/search_space.h"

namespace transformeter {

SearchEvents SearchReport::events() {
  const auto begun = [this](std::size_t searches, Seconds each) {
    line_.print(fmt::format("engine auto: {} to choose settings for, at most {} of trials", counted(searches, "case"),
                            clock_text(each * static_cast<double>(searches))));
  };
  const auto started = [this](const EngineSearch& search) {
    search_ = fmt::format("{}, {} of {}", search.the_case.id, search.index + 1, search.count);
  };
  const auto done = [this](const EngineSearch& search, const EngineChoice& choice, bool was_kept) {
    line_.print(fmt::format("{}: settings chosen by trials: {}{}", search.the_case.id, engine_choice_text(Json(choice)),
                            was_kept ? fmt::format("; kept since {}", choice.tried_at) : ""));
  };
  return {*this, begun, started, done};
}

void SearchReport::run_started(const RunRecord& run, const std::optional<MeasuringTime>&) {
  start_ = run.cases.front().requested;
  line_.draw(fmt::format("engine auto ({}): {}", search_, counted(run.cases.size(), "trial")));
}

void SearchReport::reference_started(const CaseRecord&, const ProgressPoint&) {
  line_.draw(fmt::format("engine auto ({}): reference", search_));
}

void SearchReport::case_started(const CaseRecord& the_case, const ProgressPoint& point) {
  draw(the_case, point);
}

void SearchReport::samples_taken(const ProgressSamples&) {}

void SearchReport::case_done(const CaseRecord&, const ProgressPoint&) {}

void SearchReport::run_done(const RunOutcome&) {
  line_.clear();
}

void SearchReport::draw(const CaseRecord& trial, const ProgressPoint& point) {
  const std::string left = point.budget_left ? fmt::format(", {} left", clock_text(*point.budget_left)) : "";
  const Json changes = changes_from(start_, trial.requested);
  line_.draw(fmt::format("engine auto ({}{}): {}", search_, left,
                         changes.empty() ? "what the others are compared with" : baseline_text(changes)));
}

}  // namespace transformeter
