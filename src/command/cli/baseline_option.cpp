// A baseline given when results are read replaces the plan's.
#include "cli/baseline_option.h"

#include <vector>

#include "schema/baseline.h"

namespace transformeter {

OptionDeclaration baseline_option(std::string& text) {
  return {.names = {"--baseline"},
          .target = &text,
          .placeholder = "SETTING=VALUE,...",
          .help = "compare with this baseline, e.g. attention=eager; default: the run's own"};
}

std::optional<Json> asked_baseline(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(parse_baseline(text));
}

void check_baseline_of(const RunRecord& run, const std::optional<Json>& baseline) {
  if (!baseline) return;
  std::vector<const Json*> requested;
  for (const CaseRecord& one : run.cases) requested.push_back(&one.requested);
  check_baseline(*baseline, requested);
}

}  // namespace transformeter
