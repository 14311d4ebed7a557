// Looking up a family and its task.
#include "model/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "model/bert.h"
#include "model/distilbert.h"

namespace transformeter {

void ModelRegistry::add(const std::string& family, std::vector<std::string> tasks, Factory factory) {
  entries_[family] = {std::move(tasks), std::move(factory)};
}

std::unique_ptr<Model> ModelRegistry::make(const ModelConfig& config, const std::string& task,
                                           const Parameters& parameters) const {
  const std::string family(name_of(config.architecture));
  const auto entry = entries_.find(family);
  if (entry == entries_.end()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("model family '{}' is not built in; there are {}", family, fmt::join(families(), ", ")));
  }
  const std::vector<std::string>& known = entry->second.tasks;
  if (std::find(known.begin(), known.end(), task) == known.end()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("task '{}' is not there for family '{}'; there are {}", task,
                                                     family, fmt::join(known, ", ")));
  }
  return entry->second.factory(config, task, parameters);
}

std::vector<std::string> ModelRegistry::families() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::vector<std::string> ModelRegistry::tasks() const {
  std::set<std::string> names;
  for (const auto& [name, entry] : entries_) names.insert(entry.tasks.begin(), entry.tasks.end());
  return {names.begin(), names.end()};
}

void register_builtin_models(ModelRegistry& registry) {
  register_bert(registry);
  register_distilbert(registry);
}

}  // namespace transformeter
