// Asked for at reading time, it takes the place of the plan's.
#include "cli/baseline_option.h"

#include <vector>

#include "cli/option_values.h"
#include "terms/baseline.h"

namespace transformeter {

void add_baseline_option(CLI::App& app, std::string& text) {
  CLI::Option* option =
      app.add_option("--baseline", text, "compare with this arm, as attention=eager; default: the baseline of the run");
  describe_values(*option, "SETTING=VALUE,...");
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
