// By name where both have names, else by number.
#include "datasets/label_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/lower_case.h"
#include "base/text.h"

namespace transformeter {
namespace {

// The class of this name; where none is written so, the only one that is but for capitals, as models and data sets of
// the same classes differ in them.
std::optional<int> class_named(const std::string& name, const std::vector<std::string>& classes) {
  const auto same = std::find(classes.begin(), classes.end(), name);
  if (same != classes.end()) return static_cast<int>(same - classes.begin());
  const auto is_alike = [&](const std::string& one) { return lower_case(one) == lower_case(name); };
  const auto alike = std::find_if(classes.begin(), classes.end(), is_alike);
  if (alike == classes.end() || std::count_if(classes.begin(), classes.end(), is_alike) > 1) return std::nullopt;
  return static_cast<int>(alike - classes.begin());
}

}  // namespace

void match_labels(DataSet& data, const ModelConfig& config, const std::string& where) {
  if (data.label_count == 0) return;
  std::vector<int> number_of(static_cast<std::size_t>(data.label_count));
  const bool by_name = !data.label_names.empty() && has_class_names(config);
  for (int label = 0; label < data.label_count; ++label) {
    const auto index = static_cast<std::size_t>(label);
    number_of[index] = label;
    if (!by_name) continue;
    const std::string& name = data.label_names[index];
    const std::optional<int> found = class_named(name, config.labels);
    if (!found) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: the label '{}' is not one of the model's {} classes ({})", where, excerpt(name),
                              config.num_labels, excerpt(fmt::format("{}", fmt::join(config.labels, ", ")), 300)));
    }
    number_of[index] = *found;
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
