// The presets of the built-in architectures.
#include "spec/presets.h"

#include "spec/architecture.h"

namespace transformeter {

std::vector<std::string> preset_names() {
  return builtin_architectures().preset_names();
}

ModelConfig preset(std::string_view name) {
  return builtin_architectures().preset(name);
}

bool is_preset(std::string_view name) {
  return builtin_architectures().has_preset(name);
}

}  // namespace transformeter
