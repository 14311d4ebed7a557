// Architectures by family name. Adding one means one module file and one line in register_builtin_models.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/model_config.h"

namespace transformeter {

class ModelRegistry {
 public:
  using Factory = std::function<std::unique_ptr<Model>(const ModelConfig&, const std::string& task, const Parameters&)>;

  void add(const std::string& family, std::vector<std::string> tasks, Factory factory);
  /// Throws Error(kUnsupported) for a family or a task of it that is not registered.
  std::unique_ptr<Model> make(const ModelConfig& config, const std::string& task, const Parameters& parameters) const;

  std::vector<std::string> families() const;
  std::vector<std::string> tasks() const;

 private:
  struct Entry {
    std::vector<std::string> tasks;
    Factory factory;
  };
  std::map<std::string, Entry> entries_;
};

void register_builtin_models(ModelRegistry& registry);

}  // namespace transformeter
