// Parts lie between commas that are not in brackets.
#include "spec/script_inputs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "spec/foreign_architecture.h"

namespace transformeter {

namespace {

constexpr std::int64_t kLargestDimension = 1 << 20;
constexpr const char* kAllowed =
    "ids, mask, types, positions, or NAME:TYPE[B,T,...] such as pixels:float32[B,3,224,224]";

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts = {""};
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

std::int64_t dimension_of(const std::string& part, const std::string& text) {
  if (text == "B") return kBatchDimension;
  if (text == "T") return kTokenDimension;
  const auto number = parse_integer(text);
  if (number && *number >= 1 && *number <= kLargestDimension) return *number;
  throw bad_value("inputs", part, "a dimension: B, T or a whole number from 1 to 1048576");
}

ScriptInput random_input(const std::string& part) {
  const std::vector<std::string> types = {"float32", "bfloat16", "float16", "int64", "int32", "bool"};
  const std::size_t colon = part.find(':');
  const std::size_t bracket = part.find('[');
  if (colon == std::string::npos || colon == 0 || bracket == std::string::npos || bracket < colon ||
      part.back() != ']') {
    throw bad_value("inputs", part, kAllowed);
  }
  ScriptInput input;
  input.kind = ScriptInput::Kind::kRandom;
  input.name = part.substr(0, colon);
  input.type = part.substr(colon + 1, bracket - colon - 1);
  if (std::find(types.begin(), types.end(), input.type) == types.end()) {
    throw unknown_value("inputs: type of '" + input.name + "'", input.type, types);
  }
  for (const std::string& size : split(part.substr(bracket + 1, part.size() - bracket - 2), ',')) {
    input.shape.push_back(dimension_of(part, size));
  }
  return input;
}

}  // namespace

std::vector<ScriptInput> parse_script_inputs(std::string_view text) {
  using Kind = ScriptInput::Kind;
  static const std::array<std::pair<const char*, Kind>, 4> kRoles = {
      {{"ids", Kind::kIds}, {"mask", Kind::kMask}, {"types", Kind::kTypes}, {"positions", Kind::kPositions}}};
  std::vector<ScriptInput> inputs;
  for (const std::string& part : parts_of(text)) {
    const auto role = std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& one) { return part == one.first; });
    if (role == kRoles.end()) {
      inputs.push_back(random_input(part));
    } else {
      inputs.push_back({role->second, "", "", {}});
    }
  }
  return inputs;
}

ModelConfig script_config() {
  static const auto kArchitecture = [] {
    std::vector<std::string> tasks = task_names();
    std::erase(tasks, name_of(Task::kCausalLm));  // which goes on with a text through a cache
    return std::make_shared<const Architecture>(
        foreign_architecture({{"family", "torchscript"}, {"tasks", tasks}, {"presets", Json::array()}}));
  }();
  ModelConfig config;
  config.architecture = kArchitecture;
  config.vocab_size = kMaxVocabulary;
  config.max_length = kMaxPositions;
  return config;
}

}  // namespace transformeter
