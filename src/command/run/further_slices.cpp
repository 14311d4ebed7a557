// Comparisons first: their slices narrow the cases' own intervals too.
#include "run/further_slices.h"

#include <algorithm>
#include <utility>

#include "metrics/quads.h"
#include "metrics/verdict_rules.h"
#include "schema/baseline.h"
#include "schema/settings.h"
#include "stats/paired.h"
#include "stats/replicates.h"

namespace transformeter {
namespace {

// Of the settings that both have; nothing where their workloads differ.
std::optional<std::size_t> settings_in_common(const Json& one, const Json& other) {
  std::size_t count = 0;
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    const Json of_one = one.value(name, Json());
    const bool is_same = of_one == other.value(name, Json());
    if (!is_same && term.group == SettingGroup::kWorkload) return std::nullopt;
    if (is_same && !of_one.is_null()) ++count;
  }
  return count;
}

bool is_decided(const SlicesSoFar& baseline, const SlicesSoFar& candidate) {
  const auto quotient = quotient_over_quads(quads_of(baseline.slices, candidate.slices));
  return quotient && answer_of(*quotient) != SpeedAnswer::kUndecided;
}

}  // namespace

std::vector<std::optional<std::size_t>> nearest_baselines(const std::vector<PlannedCase>& cases, const Json& baseline) {
  std::vector<std::optional<std::size_t>> nearest(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (fulfils(cases[i].record.requested, baseline)) continue;
    std::optional<std::size_t> most;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (!fulfils(cases[k].record.requested, baseline)) continue;
      const auto common = settings_in_common(cases[i].record.requested, cases[k].record.requested);
      if (!common || (most && *common <= *most)) continue;
      most = common;
      nearest[i] = k;
    }
  }
  return nearest;
}

std::vector<std::size_t> beside_baselines(const std::vector<std::size_t>& order,
                                          const std::vector<std::optional<std::size_t>>& baselines) {
  std::vector<std::size_t> groups;  // of each place in `order`, the first of its group
  std::vector<std::size_t> sorted;
  for (const std::size_t first : order) {
    const std::size_t head = baselines[first].value_or(first);
    if (std::find(groups.begin(), groups.end(), head) != groups.end()) continue;
    groups.push_back(head);
    sorted.push_back(head);
    std::copy_if(order.begin(), order.end(), std::back_inserter(sorted),
                 [&](std::size_t index) { return baselines[index] == head; });
  }
  return sorted;
}

std::int64_t planned_slices(const Case& asked, std::int64_t slices) {
  return std::min({slices, asked.samples.value_or(slices), asked.cycles.value_or(slices)});
}

std::int64_t most_slices(const std::vector<PlannedCase>& cases, std::int64_t slices) {
  std::int64_t most = 1;
  for (const PlannedCase& one : cases) most = std::max(most, planned_slices(one.asked, slices));
  return most;
}

std::vector<std::int64_t> slices_for_quads(const std::vector<PlannedCase>& cases,
                                           const std::vector<std::optional<std::size_t>>& baselines,
                                           std::int64_t slices) {
  // Two rounds are a quad.
  constexpr std::int64_t kSlicesOfFirstLook = 2 * static_cast<std::int64_t>(kFewestPairs);
  const auto forms_quads = [&](std::size_t index) {
    return cases[index].asked.device == "cpu" && !cases[index].asked.has_fixed_count();
  };
  std::vector<std::int64_t> planned;
  for (const PlannedCase& one : cases) planned.push_back(planned_slices(one.asked, slices));
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    if (!baselines[i] || !forms_quads(i) || !forms_quads(*baselines[i])) continue;
    for (const std::size_t arm : {i, *baselines[i]}) planned[arm] = std::max(planned[arm], kSlicesOfFirstLook);
  }
  return planned;
}

bool has_spread_slices(const ReplicateRecord& replicate) {
  const Series* starts = find_series(replicate.series, "slice_start");
  return starts != nullptr && starts->value.size() >= kFewestSlices &&
         starts->value.back() - starts->value.front() >= kShortestSpreadS;
}

std::vector<TimedSlice> timed_slices(const ReplicateRecord& replicate, const std::vector<SliceTime>& times) {
  const Series* rounds = find_series(replicate.series, "slice_round");
  const Series* starts = find_series(replicate.series, "slice_start");
  if (rounds == nullptr || starts == nullptr || rounds->value.size() != starts->value.size()) return {};
  std::vector<TimedSlice> timed;
  for (const SliceTime& slice : times) {
    if (slice.process != replicate.index) continue;
    const auto found = std::find(rounds->value.begin(), rounds->value.end(), static_cast<double>(slice.round));
    if (found == rounds->value.end()) continue;
    timed.push_back({starts->value[static_cast<std::size_t>(found - rounds->value.begin())], slice.seconds});
  }
  return timed;
}

std::vector<std::size_t> next_quads(const std::vector<SlicesSoFar>& parked) {
  std::vector<std::size_t> next;
  for (std::size_t head = 0; head < parked.size(); ++head) {
    if (parked[head].is_complete) continue;
    std::vector<std::size_t> group{head};
    for (std::size_t i = 0; i < parked.size(); ++i) {
      if (parked[i].baseline != head || parked[i].is_complete) continue;
      if (!is_decided(parked[head], parked[i])) group.push_back(i);
    }
    const bool is_behind = next.empty() || parked[head].slices.size() < parked[next.front()].slices.size();
    if (group.size() > 1 && is_behind) next = group;
  }
  return next;
}

std::optional<std::size_t> widest_case(const std::vector<SlicesSoFar>& parked) {
  constexpr double kUnknown = 1;  // a case without an interval counts as wide as its value
  const auto rank = [&](std::size_t place) {
    return std::pair(parked[place].half_width.value_or(kUnknown), -static_cast<double>(parked[place].slices.size()));
  };
  std::optional<std::size_t> widest;
  for (std::size_t place = 0; place < parked.size(); ++place) {
    if (parked[place].is_complete || rank(place).first <= kTargetHalfWidth) continue;
    if (!widest || rank(place) > rank(*widest)) widest = place;
  }
  return widest;
}

}  // namespace transformeter
