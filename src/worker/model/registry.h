// Families of models a worker can run: what each is made of, and the module that computes it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/architecture.h"

namespace transformeter {

class ModelRegistry {
 public:
  using Factory = std::function<std::unique_ptr<Model>(const ModelConfig&, Task task, const Parameters&)>;

  /// A family whose layers are those of blueprint.h needs no module of its own: make_transformer serves.
  void add(Architecture architecture, Factory factory);
  /// Throws Error(kUnsupported) for a task the family has no head for.
  std::unique_ptr<Model> make(const ModelConfig& config, Task task, const Parameters& parameters) const;

  const Architectures& architectures() const { return architectures_; }
  /// Their names, of all families.
  std::vector<std::string> tasks() const;

 private:
  Architectures architectures_;
  std::map<std::string, Factory> factories_;
};

void register_builtin_models(ModelRegistry& registry);

}  // namespace transformeter
