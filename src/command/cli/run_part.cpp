// Splits the text; the store tells what is a name.
#include "cli/run_part.h"

#include <algorithm>
#include <utility>

namespace transformeter {
namespace {

bool is_run_name(Store& store, std::string_view text) {
  const std::vector<RunRecord> runs = store.list_runs();
  return std::any_of(runs.begin(), runs.end(), [&](const RunRecord& run) { return run.name == text; });
}

}  // namespace

RunPart part_named(Store& store, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = equals == std::string_view::npos ? equals : text.rfind(':', equals);
  if (colon == std::string_view::npos || is_run_name(store, text)) return {std::string(text), {}};
  return {std::string(text.substr(0, colon)), parse_filters("run", text.substr(colon + 1))};
}

RunPart part_named(Store& store, BaselineStore& baselines, std::string_view text) {
  RunPart part = part_named(store, text);
  const auto baseline = baselines.find(part.run);
  if (!baseline) return part;
  part.run = baseline->run;
  std::vector<SettingFilter> filters = parse_filters("baseline", baseline->where);
  filters.insert(filters.end(), part.filters.begin(), part.filters.end());
  part.filters = std::move(filters);
  return part;
}

}  // namespace transformeter
