// Of pairs, rivals, and the widest of a run.
#include "run/further_processes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "metrics/quads.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxLiveProcesses = 200;

bool may_have_another(const PlannedCase& planned, std::size_t most) {
  const std::vector<ReplicateRecord>& replicates = planned.record.replicates;
  return !replicates.empty() && replicates.back().status == Status::kOk && replicates.size() < most;
}

std::vector<SliceTime> slices_at(const std::map<std::size_t, std::vector<SliceTime>>& slices, std::size_t place) {
  const auto found = slices.find(place);
  return found == slices.end() ? std::vector<SliceTime>() : found->second;
}

}  // namespace

std::vector<std::size_t> undecided_pairs(const std::vector<PlannedCase>& cases,
                                         const std::vector<std::optional<std::size_t>>& baselines,
                                         const std::map<std::size_t, std::vector<SliceTime>>& slices,
                                         const IsDecided& is_decided) {
  std::set<std::size_t> undecided;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::optional<std::size_t>& baseline = baselines[i];
    if (!baseline) continue;
    if (!may_have_another(cases[i], kMaxLiveProcesses) || !may_have_another(cases[*baseline], kMaxLiveProcesses)) {
      continue;
    }
    const auto quads = quads_of(slices_at(slices, *baseline), slices_at(slices, i));
    if (quads.empty()) continue;  // not beside each other, so that no more processes would decide it
    const auto speed_up = quotient_over_live_processes(quads);
    if (!speed_up || !is_decided(cases[i].record, *speed_up)) undecided.insert({*baseline, i});
  }
  return {undecided.begin(), undecided.end()};
}

std::vector<std::size_t> asked_for(const std::vector<PlannedCase>& cases, const std::vector<std::string>& ids) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool is_asked = std::find(ids.begin(), ids.end(), cases[i].record.id) != ids.end();
    if (is_asked && may_have_another(cases[i], kMaxReplicates)) places.push_back(i);
  }
  return places;
}

std::optional<std::size_t> widest_of_run(const std::vector<PlannedCase>& cases,
                                         const std::map<std::size_t, std::optional<double>>& half_widths) {
  constexpr double kUnknown = 1;
  std::optional<std::size_t> widest;
  std::pair<double, int> widest_rank;  // half-width, then fewest replicates: an unknown width must not win twice
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseRecord& record = cases[i].record;
    if (record.status != Status::kOk || record.replicates.size() >= kMaxReplicates) continue;
    const auto found = half_widths.find(i);
    const double width = found == half_widths.end() ? kUnknown : found->second.value_or(kUnknown);
    const std::pair<double, int> rank{width, -static_cast<int>(record.replicates.size())};
    if (widest && rank <= widest_rank) continue;
    widest_rank = rank;
    widest = i;
  }
  return widest;
}

}  // namespace transformeter
