// Looking up a family and its task.
#include "model/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "model/transformer.h"

namespace transformeter {

void ModelRegistry::add(Architecture architecture, Factory factory) {
  factories_[architecture.family] = std::move(factory);
  architectures_.add(std::move(architecture));
}

std::unique_ptr<Model> ModelRegistry::make(const ModelConfig& config, Task task, const Parameters& parameters) const {
  const auto factory = factories_.find(config.family());
  if (factory == factories_.end()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("unknown model family '{}'; known: {}", config.family(),
                                                     fmt::join(architectures_.families(), ", ")));
  }
  return factory->second(config, task, parameters);
}

std::vector<std::string> ModelRegistry::tasks() const {
  std::set<std::string> names;
  for (const std::string& family : architectures_.families()) {
    for (const Task task : tasks_of(*architectures_.find(family))) names.emplace(name_of(task));
  }
  return {names.begin(), names.end()};
}

void register_builtin_models(ModelRegistry& registry) {
  const Architectures& builtin = builtin_architectures();
  for (const std::string& family : builtin.families()) registry.add(*builtin.find(family), make_transformer);
}

}  // namespace transformeter
