// The names and their order are those of huggingface_hub's constants.
#include "hub/hub_options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "hub/http_transport.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

std::string first_of(const Variable& variable, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto value = variable(name);
    if (value && !value->empty()) return *value;
  }
  return {};
}

bool is_true(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::toupper(c); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

fs::path home_of(const Variable& variable) {
  const std::string home = first_of(variable, {"HOME"});
  if (home.empty()) {
    throw Error(ErrorKind::kBadInput,
                "cannot locate the model cache: neither HOME nor HF_HOME is set. Set HF_HOME to a folder.");
  }
  return home;
}

fs::path expanded(const std::string& path, const Variable& variable) {
  if (path == "~") return home_of(variable);
  if (path.starts_with("~/")) return home_of(variable) / path.substr(2);
  return path;
}

fs::path hub_home(const Variable& variable) {
  const std::string own = first_of(variable, {"HF_HOME"});
  if (!own.empty()) return expanded(own, variable);
  const std::string cache = first_of(variable, {"XDG_CACHE_HOME"});
  return (cache.empty() ? home_of(variable) / ".cache" : expanded(cache, variable)) / "huggingface";
}

std::string without_line_breaks(std::string token) {
  std::erase_if(token, [](char c) { return c == '\r' || c == '\n'; });
  return std::string(trim(token));
}

std::string token_of(const Variable& variable) {
  std::string own = without_line_breaks(first_of(variable, {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}));
  if (!own.empty()) return own;
  const std::string path = first_of(variable, {"HF_TOKEN_PATH"});
  const fs::path file = path.empty() ? hub_home(variable) / "token" : expanded(path, variable);
  return without_line_breaks(read_file_or_empty(file));
}

}  // namespace

HubOptions hub_options(const Variable& variable) {
  HubOptions options;
  options.endpoint = first_of(variable, {"HF_ENDPOINT"});
  if (options.endpoint.empty()) options.endpoint = "https://huggingface.co";
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  try {
    origin_of(options.endpoint);
  } catch (const Error&) {
    throw bad_value("HF_ENDPOINT", excerpt(options.endpoint), "an http or https URL",
                    "Unset it to use the default hub.");
  }
  const std::string cache = first_of(variable, {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});
  options.cache = cache.empty() ? hub_home(variable) / "hub" : expanded(cache, variable);
  options.token = token_of(variable);
  options.is_offline = is_true(first_of(variable, {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}));
  return options;
}

HubOptions hub_options() {
  return hub_options([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace transformeter
