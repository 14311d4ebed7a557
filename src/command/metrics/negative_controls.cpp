// Wrong outputs made from the reference's own, and those of a pass without a mask.
#include "metrics/negative_controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "metrics/output_comparison.h"

namespace transformeter {
namespace {

// fp32 in another order of adding was seen to change outputs by 7e-6. A fault that changes no more is none.
constexpr double kRounding = 2e-5;

struct Control {
  std::string_view name;
  std::string_view description;
  std::optional<double> NegativeControls::*divergence;
};
constexpr std::array kControls{Control{"rolled", "giving each input the answer to another", &NegativeControls::rolled},
                               Control{"constant", "giving every input the same answer", &NegativeControls::constant},
                               Control{"unmasked", "attending to padding", &NegativeControls::unmasked}};

std::optional<double> divergence_from(const Outputs& reference, const Outputs& outputs) {
  const OutputComparison comparison = compare_outputs(reference, outputs);
  const Series* divergence = find_series(comparison.series, "divergence");
  if (divergence == nullptr || divergence->value.front() <= kRounding) return std::nullopt;
  return divergence->value.front();
}

// Row by row; an input with more rows than the one before it begins that one's again.
Outputs rolled(const Outputs& outputs) {
  Outputs wrong = outputs;
  const auto width = static_cast<std::size_t>(outputs.width);
  const std::size_t inputs = outputs.inputs.size();
  std::vector<std::size_t> begins;  // of each input's values
  std::size_t end = 0;
  for (const std::int64_t rows : outputs.rows) {
    begins.push_back(end);
    end += static_cast<std::size_t>(rows) * width;
  }
  for (std::size_t input = 0; input < inputs; ++input) {
    const std::size_t before = (input + inputs - 1) % inputs;
    const auto rows_before = static_cast<std::size_t>(outputs.rows[before]);
    for (std::size_t row = 0; rows_before > 0 && row < static_cast<std::size_t>(outputs.rows[input]); ++row) {
      const auto* from = outputs.values.data() + begins[before] + (row % rows_before) * width;
      std::copy_n(from, width, wrong.values.data() + begins[input] + row * width);
    }
  }
  return wrong;
}

Outputs constant(Outputs outputs) {
  const auto width = static_cast<std::size_t>(outputs.width);
  if (width == 0 || outputs.values.empty()) return outputs;
  std::vector<double> means(width, 0);
  for (std::size_t i = 0; i < outputs.values.size(); ++i) means[i % width] += outputs.values[i];
  const std::size_t rows = outputs.values.size() / width;
  for (std::size_t i = 0; i < outputs.values.size(); ++i) {
    outputs.values[i] = static_cast<float>(means[i % width] / static_cast<double>(rows));
  }
  return outputs;
}

}  // namespace

NegativeControls negative_controls(const Outputs& reference, const std::optional<Outputs>& unmasked) {
  NegativeControls controls;
  controls.rolled = divergence_from(reference, rolled(reference));
  controls.constant = divergence_from(reference, constant(reference));
  if (unmasked) controls.unmasked = divergence_from(reference, *unmasked);
  return controls;
}

std::optional<NamedControl> smallest_control(const NegativeControls& controls) {
  std::optional<NamedControl> smallest;
  for (const Control& control : kControls) {
    const std::optional<double>& divergence = controls.*control.divergence;
    if (divergence && (!smallest || *divergence < smallest->divergence)) smallest = {control.description, *divergence};
  }
  return smallest;
}

Json to_json(const NegativeControls& controls) {
  Json json = Json::object();
  for (const Control& control : kControls) {
    const std::optional<double>& divergence = controls.*control.divergence;
    json[std::string(control.name)] = divergence ? Json(*divergence) : Json();
  }
  return json;
}

NegativeControls controls_from(const Json& json) {
  NegativeControls controls;
  for (const Control& control : kControls) {
    const Json& divergence = json.at(std::string(control.name));
    if (!divergence.is_null()) controls.*control.divergence = divergence.get<double>();
  }
  return controls;
}

}  // namespace transformeter
