// By name where both have names, else by number.
#include "datasets/label_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
void match_labels(DataSet& data, const ModelConfig& config, const std::string& where) {
  if (data.label_count == 0) return;
  std::vector<int> number_of(static_cast<std::size_t>(data.label_count));
  const bool by_name = !data.label_names.empty() && has_class_names(config);
  for (int label = 0; label < data.label_count; ++label) {
    const auto index = static_cast<std::size_t>(label);
    number_of[index] = label;
    if (!by_name) continue;
    const std::string& name = data.label_names[index];
    const auto found = std::find(config.labels.begin(), config.labels.end(), name);
    if (found == config.labels.end()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: the label '{}' is not one of the model's {} classes ({})", where, excerpt(name),
                              config.num_labels, excerpt(fmt::format("{}", fmt::join(config.labels, ", ")), 300)));
    }
    number_of[index] = static_cast<int>(found - config.labels.begin());
  }
  if (!by_name && data.label_count > config.num_labels) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: labels go up to {} ({} classes), but the model has {} classes, 0 to {}", where,
                            data.label_count - 1, data.label_count, config.num_labels, config.num_labels - 1));
  }
  for (Example& example : data.examples) {
    if (example.label) example.label = number_of[static_cast<std::size_t>(*example.label)];
  }
  if (!by_name) return;
  data.label_names = config.labels;
  data.label_count = static_cast<int>(config.num_labels);
}

bool has_names_alone(const DataSet& data, const ModelConfig& config) {
  return !data.label_names.empty() && !has_class_names(config);
}

}  // namespace transformeter
