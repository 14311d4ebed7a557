// Cases with their prices and, where it is a limit, where their p95 may lie.
#include "cli/stored_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/interrupt.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Notes where the p95 of each case may lie, as its samples are read.
CaseSelectionOptions selection_options(const ChoiceRequest& request, LevelsOfCases& p95) {
  CaseSelectionOptions selected;
  selected.takes = [](const CaseRecord& one) { return !is_train(one.requested); };
  if (!request.options.has_limit(LimitKind::kLatencyP95)) return selected;
  selected.with_series = [&](const RunRecord& run, const CaseRecord& one) {
    if (request.interrupt != nullptr) check_interrupt(*request.interrupt);
    const auto level = latency_p95_level(one);
    if (level) p95.emplace(std::pair(run.id, one.id), *level);
  };
  return selected;
}

std::vector<ChoiceCandidate> candidates_of(const CaseSelection& selection, const ChoiceRequest& request,
                                           const LevelsOfCases& p95) {
  std::vector<ChoiceCandidate> candidates;
  const bool needs_price = request.options.objective == Objective::kCost || request.prices.is_any_given();
  for (const SelectedCase& one : selection.cases()) {
    const CaseRecord& record = *one.one.record;
    const Price* price =
        needs_price ? &request.prices.price_of(one.part, record) : request.prices.find_price(one.part, record);
    const auto level = p95.find({one.run->id, record.id});
    candidates.push_back({&one.one, one.run, price, level == p95.end() ? std::nullopt : std::optional(level->second)});
  }
  return candidates;
}

}  // namespace

StoredChoice::StoredChoice(Store& store, BaselineStore& baselines, const ChoiceRequest& request)
    : selection_(store, baselines, request.parts, selection_options(request, p95_)) {
  if (selection_.cases().empty()) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("all cases of {} are of training; give --for training",
                    request.parts.empty() ? "the latest run" : fmt::format("{}", fmt::join(request.parts, ", "))));
  }
  const std::vector<ChoiceCandidate> candidates = candidates_of(selection_, request, p95_);
  if (request.interrupt != nullptr) check_interrupt(*request.interrupt);
  choices_ = choose_cases(candidates, request.options);
}

std::vector<std::string> StoredChoice::undecided_cases() const {
  std::vector<std::string> ids;
  for (const CaseChoice& choice : choices_) {
    if (!choice.next || !choice.next->replicates) continue;
    for (const std::size_t place : choice.next->cases) {
      const CaseRecord& record = *choice.cases[place].candidate.one->record;
      const bool waits = choice.next->is_for_doubts && record.replicates.size() >= *choice.next->replicates;
      if (!waits) ids.push_back(record.id);
    }
  }
  return ids;
}

}  // namespace transformeter
