// How long cases took when they were measured before on this machine.
#pragma once

#include <map>
#include <set>
#include <string>

#include "metrics/case_metrics.h"
#include "store/store.h"

namespace transformeter {

struct EarlierTime {
  std::string run_id;
  MetricRow row;
};

/// By plan_key, of those that are asked for: the headline time of the latest run on the machine of that fingerprint in
/// which the case is ok and not invalid.
std::map<std::string, EarlierTime> earlier_times(Store& store, const std::set<std::string>& plan_keys,
                                                 const std::string& fingerprint);

}  // namespace transformeter
