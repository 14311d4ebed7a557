// Parts lie between commas that are not in brackets.
#include "spec/script_inputs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json_file.h"
#include "base/text.h"
#include "schema/case.h"
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

namespace {

// What does not depend on how the model is computed.
void take_config_beside(const std::filesystem::path& model, ModelConfig& config) {
  const std::filesystem::path file = model.parent_path() / "config.json";
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) return;
  try {
    const ModelConfig beside = parse_model_config(parse_json(file.string(), read_file(file)), file.string());
    config.vocab_size = beside.vocab_size;
    config.max_length = beside.max_length;
    config.pad_token_id = beside.pad_token_id;
    config.num_labels = beside.num_labels;
    config.labels = beside.labels;
    config.architectures = beside.architectures;
    auto architecture = std::make_shared<Architecture>(*config.architecture);
    architecture->class_prefix = beside.architecture->class_prefix;
    config.architecture = std::move(architecture);
    config.source = {{"problem_type", beside.source.value("problem_type", Json())}};
  } catch (const Error&) {
    return;
  }
}

}  // namespace

ModelConfig compiled_config(std::string_view model) {
  std::string family(compiled_format(model));
  std::transform(family.begin(), family.end(), family.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  std::vector<std::string> tasks = task_names();
  std::erase(tasks, name_of(Task::kCausalLm));  // which goes on with a text through a cache
  ModelConfig config;
  config.architecture = std::make_shared<const Architecture>(
      foreign_architecture({{"family", family}, {"tasks", tasks}, {"presets", Json::array()}}));
  config.vocab_size = kMaxVocabulary;
  config.max_length = kMaxPositions;
  if (is_graph_file(model)) take_config_beside(model, config);
  return config;
}

std::vector<std::filesystem::path> weights_beside(const std::filesystem::path& model) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  if (model.extension() == ".xml") files = {fs::path(model).replace_extension(".bin")};
  if (model.extension() == ".onnx") files = {model.string() + ".data", model.string() + "_data"};
  std::error_code code;
  std::erase_if(files, [&](const fs::path& file) { return !fs::is_regular_file(file, code); });
  return files;
}

}  // namespace transformeter
