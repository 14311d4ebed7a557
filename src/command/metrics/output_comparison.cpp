// Matching by key, then sums.
#include "metrics/output_comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <span>

#include "stats/divergence.h"

namespace transformeter {
namespace {

struct InputRows {
  std::int64_t rows = 0;
  std::span<const float> values;
};

std::map<std::int64_t, InputRows> by_input(const Outputs& outputs) {
  std::map<std::int64_t, InputRows> found;
  std::span<const float> rest = outputs.values;
  for (std::size_t i = 0; i < outputs.inputs.size(); ++i) {
    const auto size = static_cast<std::size_t>(outputs.rows[i] * outputs.width);
    found.emplace(outputs.inputs[i], InputRows{outputs.rows[i], rest.first(size)});
    rest = rest.subspan(size);
  }
  return found;
}

OutputComparison nothing(std::string why) {
  return {{}, std::move(why)};
}

}  // namespace

OutputComparison compare_outputs(const Outputs& reference, const Outputs& outputs) {
  const auto spread = spread_between_rows(reference.values, static_cast<std::size_t>(reference.width));
  if (!spread) return nothing("the reference outputs are the same for every input, or not finite");
  if (outputs.inputs.empty()) return nothing("the case shares no inputs with the reference");
  if (outputs.width != reference.width) {
    return nothing(
        fmt::format("output rows have {} values, those of the reference {}", outputs.width, reference.width));
  }
  const auto width = static_cast<std::size_t>(reference.width);
  const std::map<std::int64_t, InputRows> known = by_input(reference);
  RowDifferences differences;
  std::size_t inputs = 0;
  for (const auto& [input, own] : by_input(outputs)) {
    const auto found = known.find(input);
    if (found == known.end() || found->second.rows != own.rows || own.rows == 0) continue;
    ++inputs;
    for (std::size_t at = 0; at < own.values.size(); at += width) {
      differences.add(own.values.subspan(at, width), found->second.values.subspan(at, width));
    }
  }
  if (inputs == 0) return nothing("the case shares no inputs with the reference");
  if (!std::isfinite(differences.root_mean_square())) return nothing("an output is not finite");
  OutputComparison comparison;
  const auto add = [&](const char* name, double value) { comparison.series.push_back(scalar_series(name, value)); };
  add("divergence", differences.root_mean_square() / *spread);
  add("divergence_max", differences.largest() / *spread);
  add("compared_inputs", static_cast<double>(inputs));
  if (width > 1) {
    add("compared_rows", static_cast<double>(differences.rows()));
    add("agreed_rows", static_cast<double>(differences.agreed()));
  }
  return comparison;
}

}  // namespace transformeter
