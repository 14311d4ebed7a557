// Fixed sentences: what the figures of a report are.
#include <algorithm>
#include <array>

#include "metrics/scenario_type.h"
#include "report/report_sections.h"

namespace transformeter {
namespace {

constexpr std::array<std::string_view, 4> kMeaningOfTimes{
    "Latency is the median time of one batch through the model, from inputs in memory to outputs in memory; tokenizing "
    "texts and decoding images is not included. Cycle time is the time of one pass over all batches of a workload with "
    "natural lengths, where batches differ.",
    "The interval next to a value is a 95 % confidence interval. One of a single window covers neither slow changes of "
    "the machine's speed nor variance between processes; one between slices covers the former, one between replicates "
    "both. That of a speed-up over pairs of slices is a 99 % interval, since it is looked at again and again.",
    "Samples per second and tokens per second are total work ÷ total time of a slice. Tokens are useful tokens, "
    "without "
    "padding.",
    "A case that was measured in several slices or processes has the mean of their figures; where these differ much, "
    "as "
    "on a busy machine, it can lie where no sample does."};

// After what the scenarios say of themselves.
constexpr std::array<std::string_view, 3> kMeaningOfTheRest{
    "Peak RSS is the worker's peak resident memory during the measurement. Tensors is the peak of live tensor memory, "
    "without weights mapped from files.",
    "Speed-up is baseline time ÷ candidate time. It needs 8 pairs of slices measured side by side, or 3 replicates of "
    "both cases, on the same workload; otherwise the answer is undecided.",
    "A verdict says whether a result can be trusted; notes are not problems. docs/metrics.md defines every metric, "
    "reason and note."};

bool has_scenario(const SectionInput& input, Scenario scenario) {
  return std::any_of(input.runs.begin(), input.runs.end(), [&](const AnalyzedRun& run) {
    return std::any_of(run.cases.begin(), run.cases.end(),
                       [&](const AnalyzedCase& one) { return scenario_of(one.record->requested) == scenario; });
  });
}

}  // namespace

std::vector<Block> meaning_section(const SectionInput& input) {
  List list;
  for (const std::string_view line : kMeaningOfTimes) list.items.push_back({std::string(line)});
  for (const ScenarioType& type : scenario_types()) {
    if (!type.meaning.empty() && has_scenario(input, type.scenario)) list.items.push_back({std::string(type.meaning)});
  }
  for (const std::string_view line : kMeaningOfTheRest) list.items.push_back({std::string(line)});
  return {std::move(list)};
}

}  // namespace transformeter
