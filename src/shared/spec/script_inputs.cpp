// Parts lie between commas that are not in brackets.
#include "spec/script_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json_file.h"
#include "base/lower_case.h"
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

std::vector<std::string> graph_engines(std::string_view model) {
  const std::string_view format = compiled_format(model);
  if (format == "ONNX") return {kGraphEngine, "onnxruntime"};
  if (format == "OpenVINO") return {kGraphEngine};
  return {};
}

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

// Nothing where there is none, or it is of a family or has a key that is not known here: the file runs without.
std::optional<ModelConfig> config_beside(const std::filesystem::path& model) {
  const std::filesystem::path file = model.parent_path() / "config.json";
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) return std::nullopt;
  const Json json = parse_json(file.string(), read_file(file));
  try {
    return parse_model_config(json, file.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A family that is known by its name alone, and whose classes are called as those of `beside`.
std::shared_ptr<const Architecture> compiled_architecture(std::string_view model, const ModelConfig* beside) {
  std::vector<std::string> tasks = task_names();
  // Text is generated through a cache.
  std::erase_if(tasks, [](const std::string& name) {
    const Task task = find_task(name).value();
    return generates_text(task) || modality_of(task) != Modality::kText;
  });
  Architecture architecture = foreign_architecture(
      {{"family", lower_case(std::string(compiled_format(model)))}, {"tasks", tasks}, {"presets", Json::array()}});
  if (beside != nullptr) architecture.class_prefix = beside->architecture->class_prefix;
  return std::make_shared<const Architecture>(std::move(architecture));
}

}  // namespace

ModelConfig compiled_config(std::string_view model) {
  const std::optional<ModelConfig> beside = is_graph_file(model) ? config_beside(model) : std::nullopt;
  if (beside && beside->image) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} files of models that read images are not supported; use the model's folder",
                            compiled_format(model)));
  }
  ModelConfig config;
  if (beside) {
    config = *beside;
  } else {
    config.vocab_size = kMaxVocabulary;
    config.max_length = kMaxPositions;
  }
  config.architecture = compiled_architecture(model, beside ? &*beside : nullptr);
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
