// What a user means by RUN:SETTING=VALUE,... or by a baseline's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/setting_filter.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {

/// Cases of one run.
struct RunPart {
  std::string run;  // a selector, see RunQuery
  std::vector<SettingFilter> filters;
};

/// Names may hold anything: what is a run's name as a whole has no filters, else these begin with the last colon before
/// a '='. Throws Error(kBadInput) as parse_filters.
RunPart part_named(Store& store, std::string_view text);

/// A baseline's name in place of the run's is what it was set to, with the filters of both. It comes before runs of
/// that name, which are later ones, since no baseline is set to a name that a run has.
RunPart part_named(Store& store, BaselineStore& baselines, std::string_view text);

}  // namespace transformeter
