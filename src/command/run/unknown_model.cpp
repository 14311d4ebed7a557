// Slips are most often in the last part of a path.
#include "run/unknown_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "schema/case.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

bool holds_model(const fs::path& place) {
  std::error_code code;
  return fs::is_regular_file(place / "config.json", code) ||
         (is_compiled_file(place.string()) && fs::is_regular_file(place, code));
}

// The nearest name in the same folder.
std::optional<std::string> nearest_beside(const std::string& model) {
  fs::path asked(model);
  if (!asked.has_filename()) asked = asked.parent_path();  // "my-model/"
  const fs::path folder = asked.parent_path();
  std::error_code code;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (holds_model(entry->path())) names.push_back(entry->path().filename().string());
  }
  const auto near = nearest(asked.filename().string(), names);
  return near ? std::optional((folder / *near).string()) : std::nullopt;
}

}  // namespace

Error unknown_model(const std::string& model, const std::vector<std::string>& presets, ModelUse use) {
  const bool takes_presets = use == ModelUse::kMeasurement;
  std::string message = fmt::format(
      "unknown model '{}': expected {}a folder with config.json and model.safetensors, a TorchScript, ONNX or OpenVINO "
      "file (.pt, .ts, .torchscript, .onnx, .xml), or org/name of a model on the hub.",
      model, takes_presets ? "a preset, " : "");
  const auto preset = nearest(model, presets);
  const auto beside = nearest_beside(model);
  if (beside) {
    message += fmt::format(" Did you mean '{}'?", *beside);
  } else if (takes_presets && preset) {
    message += fmt::format(" Did you mean '{}'?", *preset);
  } else if (preset) {
    message += fmt::format(" The preset '{}' has random weights, whose answers mean nothing.", *preset);
  }
  if (takes_presets) message += " `transformeter models` lists the presets.";
  return Error(ErrorKind::kBadInput, message);
}

}  // namespace transformeter
