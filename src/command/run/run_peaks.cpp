// Which peaks a plan needs, and what of them a case gets to see.
#include "run/run_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "metrics/case_settings.h"
#include "metrics/case_summary.h"
#include "metrics/disturbed_peak.h"
#include "metrics/efficiency_metrics.h"
#include "run/case_summaries.h"

namespace transformeter {
namespace {

std::string policy_of(const RunRecord& run) {
  const Json::json_pointer value("/peaks/values/0");
  return run.settings.contains(value) ? run.settings.at(value).get<std::string>() : "stored";
}

std::string gemm_of(const Case& asked) {
  // What the products compute in, whatever the way their operands came to it.
  if (asked.precision == "int8_static") return gemm_peak("int8");
  const bool is_bf16 = asked.precision == "int8_weight_only" || asked.precision == "bf16_autocast";
  return gemm_peak(is_bf16 ? "bf16" : asked.precision);
}

// A GPU's do not depend on the host's threads.
int threads_of(const Case& asked) {
  return asked.device == "cpu" ? static_cast<int>(asked.threads.value_or(1)) : 1;
}

// Quantities by device and threads, in a fixed order.
using PeaksByPlace = std::map<std::pair<std::string, int>, std::set<std::string>>;

PeaksByPlace wanted_by(const PreparedRun& run) {
  PeaksByPlace wanted;
  for (const PlannedCase& planned : run.cases) {
    if (planned.record.status) continue;  // it will not run
    auto& quantities = wanted[{planned.asked.device, threads_of(planned.asked)}];
    quantities.insert({gemm_of(planned.asked), kReadBandwidthPeak});
  }
  return wanted;
}

// A worker that fails costs the peaks, not the run.
void measure(const Context& context, PeakStore& store, const PeakWorkerOptions& options, const WantedPeaks& wanted,
             std::string_view failure) {
  try {
    measure_missing_peaks(context, store, options, wanted);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    context.log(LogLevel::kWarning, fmt::format("{}: {}", failure, error.what()));
  }
}

// The points of the sweep stay in the store.
Json kept(const PeakRecord& record) {
  Json json = to_json(record);
  json.erase("points");
  return json;
}

PeakPlace place_of(const RunRecord& run, const std::string& device, int threads) {
  return peak_place(run.host, run.host.value("worker", Json::object()), device, threads);
}

bool is_disturbed(const Json& peak) {
  return is_disturbed_peak(number_of_path(peak, {"foreign_load"}));
}

// The peaks that a stored run's cases have exceeded, and a further measurement may correct. Weights in a cache are read
// faster than memory, so that every run of a small model exceeds a bandwidth in which nothing is wrong.
PeaksByPlace doubted_by(Store& store, const std::string& run_id) {
  PeaksByPlace doubted;
  RunQuery query;
  query.selector = run_id;
  query.needs_series = [](const CaseRecord& one) { return !has_current_summary(one); };
  const auto look = [&](CaseRecord&& one) {
    const CaseAnalysis analysis = analysis_of(one, MetricRows::kHeadlines);
    const auto is_exceeded = [&](const char* metric) {
      const MetricRow* row = find_metric(analysis.metrics, metric, "");
      return row != nullptr && is_below_achieved(*row);
    };
    const Case asked = case_from(one.requested);
    const std::pair place{asked.device, threads_of(asked)};
    if (is_exceeded("mfu") || is_exceeded("hfu")) doubted[place].insert(gemm_of(asked));
    if (is_exceeded("bandwidth_share") && is_disturbed(one.effective.at("peaks").at(kReadBandwidthPeak))) {
      doubted[place].insert(kReadBandwidthPeak);
    }
  };
  store.visit(query, {[](RunRecord&&) {}, look});
  return doubted;
}

// Marks those peaks of the run, for the cases that do not exceed them. False when all were marked already.
bool mark_exceeded(const PeaksByPlace& exceeded, RunRecord& run) {
  if (!run.host.contains("peaks")) return false;
  bool is_changed = false;
  for (Json& peak : run.host["peaks"]) {
    const auto found = exceeded.find({peak.at("device"), peak.at("threads")});
    if (found == exceeded.end() || !found->second.contains(peak.at("quantity").get<std::string>())) continue;
    is_changed = is_changed || !peak.value(kPeakExceeded, false);
    peak[kPeakExceeded] = true;
  }
  return is_changed;
}

// Puts better peaks of the store in place of those that the run has: higher ones, or of the same height and less
// disturbed. False when there are none.
bool take_better(const std::vector<PeakRecord>& known, RunRecord& run) {
  if (!run.host.contains("peaks")) return false;
  bool is_changed = false;
  for (Json& peak : run.host["peaks"]) {
    const PeakPlace place = place_of(run, peak.at("device"), peak.at("threads"));
    const PeakRecord* record = find_peak(known, place, peak.at("quantity").get<std::string>());
    if (record == nullptr || !record->peak.rate || peak.at("value").is_null()) continue;
    const auto value = peak.at("value").get<double>();
    if (record->peak.rate->value > value) {
      peak = kept(*record);
      is_changed = true;
    } else if (record->peak.rate->value == value && is_disturbed(peak) && record->peak.foreign_load &&
               !is_disturbed(record->peak)) {
      peak["foreign_load"] = *record->peak.foreign_load;
      peak.erase(kPeakExceeded);  // whoever exceeds it now exceeds another peak
      is_changed = true;
    }
  }
  return is_changed;
}

// Holds every case of the stored run against the peaks that `run` has now.
void hold_cases_against(Store& store, PeakStore& peaks, const RunRecord& run) {
  RunRecord changed = run;
  changed.cases.clear();
  RunQuery query;
  query.selector = run.id;
  store.visit(query, {[](RunRecord&&) {},
                      [&](CaseRecord&& one) {
                        if (!one.effective.contains("peaks")) return;
                        one.effective["peaks"] = peaks_of_case(run, case_from(one.requested));
                        changed.cases.push_back(std::move(one));
                      }});
  peaks.hold_against(changed);
  for (const CaseRecord& one : changed.cases) keep_summary_again(store, run.id, one.id);
}

Json peak_of(const RunRecord& run, const Case& asked, const std::string& quantity) {
  const Json peaks = run.host.value("peaks", Json::array());
  for (const Json& peak : peaks) {
    if (peak.at("quantity") != quantity || peak.at("device") != asked.device ||
        peak.at("threads") != threads_of(asked)) {
      continue;
    }
    Json seen = Json::object();
    for (const char* name : {"quantity", "value", "low", "high", "n", "reason", "foreign_load", "measured_at"}) {
      seen[name] = peak.at(name);
    }
    if (peak.value(kPeakExceeded, false)) seen[kPeakExceeded] = true;
    return seen;
  }
  if (policy_of(run) == "off") return {{"reason", "no peaks: --peaks off"}};
  return {{"reason", kNoPeaks}};
}

}  // namespace

void attach_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options, PreparedRun& run) {
  const std::string policy = policy_of(run.record);
  if (policy == "off") return;
  Json& peaks = run.record.host["peaks"] = Json::array();
  for (const auto& [where, quantities] : wanted_by(run)) {
    const PeakPlace place = place_of(run.record, where.first, where.second);
    if (policy == "measure") {
      measure(context, store, options, {place, {quantities.begin(), quantities.end()}}, "no peaks");
    }
    const std::vector<PeakRecord> known = store.list();
    for (const std::string& quantity : quantities) {
      if (const PeakRecord* record = find_peak(known, place, quantity)) peaks.push_back(kept(*record));
    }
  }
}

void correct_peaks(const Context& context, Store& store, PeakStore& peaks, const PeakWorkerOptions& options,
                   RunRecord& run) {
  const PeaksByPlace doubted = doubted_by(store, run.id);
  if (doubted.empty()) return;
  // Before anything that may be interrupted: until the peaks are corrected, no share of them counts.
  if (mark_exceeded(doubted, run)) hold_cases_against(store, peaks, run);
  for (const auto& [where, quantities] : doubted) {
    context.log(LogLevel::kInfo,
                fmt::format("cases were faster than the measured peak: {}", fmt::join(quantities, ", ")));
    const PeakPlace place = place_of(run, where.first, where.second);
    measure(context, peaks, options, {place, {quantities.begin(), quantities.end()}, true},
            "peaks were not measured again");
  }
  if (!take_better(peaks.list(), run)) return;
  hold_cases_against(store, peaks, run);
  if (mark_exceeded(doubted_by(store, run.id), run)) hold_cases_against(store, peaks, run);
}

Json peaks_of_case(const RunRecord& run, const Case& asked) {
  return {{"gemm", peak_of(run, asked, gemm_of(asked))}, {kReadBandwidthPeak, peak_of(run, asked, kReadBandwidthPeak)}};
}

}  // namespace transformeter
