// What the environment says about the hub, as Python's huggingface_hub reads it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace transformeter {

struct HubOptions {
  std::string endpoint;         // without a slash at its end
  std::filesystem::path cache;  // the folder of models--org--name
  std::string token;            // empty: none
  bool is_offline = false;
};

/// The value of an environment variable, or nothing.
using Variable = std::function<std::optional<std::string>(const char* name)>;

/// HF_ENDPOINT; HF_HUB_CACHE, HF_HOME or XDG_CACHE_HOME; HF_TOKEN or the file HF_TOKEN_PATH, HF_HOME/token by default;
/// HF_HUB_OFFLINE. An empty variable counts as absent. Throws Error(kBadInput) for an endpoint that is no http or
/// https URL, and where no home folder is known.
HubOptions hub_options(const Variable& variable);

/// Of this process's own environment.
HubOptions hub_options();

}  // namespace transformeter
