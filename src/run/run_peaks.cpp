// Which peaks a plan needs, and what of them a case gets to see.
#include "run/run_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

std::string policy_of(const RunRecord& run) {
  const Json::json_pointer value("/peaks/values/0");
  return run.settings.contains(value) ? run.settings.at(value).get<std::string>() : "stored";
}

std::string device_of(const Json& requested) {
  return requested.value("device", std::string("cpu"));
}

std::string gemm_of(const Json& requested) {
  const std::string precision = requested.value("precision", std::string("fp32"));
  // What the products compute in, whatever the way their operands came to it.
  if (precision == "int8_static") return gemm_peak("int8");
  const bool is_bf16 = precision == "int8_weight_only" || precision == "bf16_autocast";
  return gemm_peak(is_bf16 ? "bf16" : precision);
}

// A GPU's do not depend on the host's threads.
int threads_of(const Json& requested) {
  if (device_of(requested) != "cpu") return 1;
  const auto threads = requested.find("threads");
  return threads != requested.end() && threads->is_number_integer() ? threads->get<int>() : 1;
}

// By device and threads, in a fixed order.
std::map<std::pair<std::string, int>, std::set<std::string>> wanted_by(const PreparedRun& run) {
  std::map<std::pair<std::string, int>, std::set<std::string>> wanted;
  for (const PlannedCase& planned : run.cases) {
    if (planned.record.status) continue;  // it will not run
    const Json& requested = planned.record.requested;
    auto& quantities = wanted[{device_of(requested), threads_of(requested)}];
    quantities.insert({gemm_of(requested), kBandwidthPeak});
  }
  return wanted;
}

void measure_missing(const Context& context, PeakStore& store, const PeakWorkerOptions& options, const PeakPlace& place,
                     const std::set<std::string>& wanted) {
  try {
    measure_missing_peaks(context, store, options, {place, {wanted.begin(), wanted.end()}});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    context.log(LogLevel::kWarning, fmt::format("no peaks: {}", error.what()));
  }
}

// The points of the sweep stay in the store.
Json kept(const PeakRecord& record) {
  Json json = to_json(record);
  json.erase("points");
  return json;
}

Json peak_of(const RunRecord& run, const Json& requested, const std::string& quantity) {
  const Json peaks = run.host.value("peaks", Json::array());
  for (const Json& peak : peaks) {
    if (peak.at("quantity") != quantity || peak.at("device") != device_of(requested) ||
        peak.at("threads") != threads_of(requested)) {
      continue;
    }
    Json seen = Json::object();
    for (const char* name : {"quantity", "value", "low", "high", "n", "reason", "foreign_load", "measured_at"}) {
      seen[name] = peak.at(name);
    }
    return seen;
  }
  if (policy_of(run) == "off") return {{"reason", "no peaks: --peaks off"}};
  const Json::json_pointer store("/store/values/0");
  const std::string path = run.settings.contains(store) ? run.settings.at(store).get<std::string>() : "STORE";
  return {{"reason", fmt::format("no peaks: transformeter peaks --store {}, before the run", path)}};
}

}  // namespace

void attach_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options, PreparedRun& run) {
  const std::string policy = policy_of(run.record);
  if (policy == "off") return;
  const Json build = run.record.host.value("worker", Json::object());
  Json& peaks = run.record.host["peaks"] = Json::array();
  for (const auto& [where, quantities] : wanted_by(run)) {
    const PeakPlace place = peak_place(run.record.host, build, where.first, where.second);
    if (policy == "measure") measure_missing(context, store, options, place, quantities);
    const std::vector<PeakRecord> known = store.list();
    for (const std::string& quantity : quantities) {
      if (const PeakRecord* record = find_peak(known, place, quantity)) peaks.push_back(kept(*record));
    }
  }
}

Json peaks_of_case(const RunRecord& run, const Json& requested) {
  return {{"gemm", peak_of(run, requested, gemm_of(requested))},
          {"bandwidth", peak_of(run, requested, kBandwidthPeak)}};
}

}  // namespace transformeter
