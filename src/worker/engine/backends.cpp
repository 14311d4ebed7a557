// One line for each; a library that is not asked for is not loaded.
#include "engine/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "device/plugin_loader.h"

namespace transformeter {
namespace {

struct KnownBackend {
  std::string_view engine;
  PluginKind plugin;
  std::string_view precisions;  // with commas
};

constexpr std::array kBackends{
    KnownBackend{"openvino",
                 {"OpenVINO plug-in", "libtransformeter_openvino.so", "TRANSFORMETER_OPENVINO_PLUGIN", kBackendEntry,
                  "scripts/setup --engines installs OpenVINO"},
                 "fp32,bf16,fp16"},
    KnownBackend{"onnxruntime",
                 {"ONNX Runtime plug-in", "libtransformeter_onnxruntime.so", "TRANSFORMETER_ONNXRUNTIME_PLUGIN",
                  kBackendEntry, "scripts/setup --engines installs ONNX Runtime"},
                 "fp32,int8"}};

const KnownBackend* find_known(const std::string& engine) {
  const auto* found = std::find_if(kBackends.begin(), kBackends.end(),
                                   [&](const KnownBackend& known) { return known.engine == engine; });
  return found == kBackends.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const KnownBackend& known : kBackends) names.emplace_back(known.engine);
  return names;
}

std::vector<std::string> backend_precisions(const std::string& engine) {
  const KnownBackend* const known = find_known(engine);
  return known == nullptr ? std::vector<std::string>() : split(known->precisions, ',');
}

bool is_backend(const std::string& engine) {
  return find_known(engine) != nullptr;
}

std::optional<std::string> why_no_backend(const std::string& engine) {
  const KnownBackend* const known = find_known(engine);
  if (known == nullptr) return fmt::format("there is no engine '{}' of another library", engine);
  auto reason = why_no_plugin(known->plugin, plugin_path(known->plugin));
  if (!reason) return std::nullopt;
  return fmt::format("{}; run `scripts/setup --engines` and `make programs`", *reason);
}

Json backend_hashes() {
  Json hashes = Json::object();
  for (const KnownBackend& known : kBackends) {
    const auto library = plugin_path(known.plugin);
    if (!why_no_plugin(known.plugin, library)) hashes[std::string(known.engine)] = sha256_file(library);
  }
  return hashes;
}

const Backend& open_backend(const std::string& engine) {
  std::string why_not = why_no_backend(engine).value_or("");
  const Backend* backend = nullptr;
  if (why_not.empty()) {
    const PluginKind& plugin = find_known(engine)->plugin;
    backend = open_plugin<BackendEntry>(plugin, plugin_path(plugin), why_not);
  }
  if (backend == nullptr) throw Error(ErrorKind::kUnsupported, fmt::format("engine {}: {}", engine, why_not));
  return *backend;
}

}  // namespace transformeter
