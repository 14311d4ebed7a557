// Settings as requested, but for the places of model and data.
#include "run/prepare_request.h"

#include <unistd.h>

#include "run/data_location.h"
#include "run/model_location.h"

namespace transformeter {

PrepareRequest prepare_request(const Json& settings, const Session& session,
                               std::optional<std::int64_t> memory_limit_bytes) {
  PrepareRequest request;
  request.settings = settings;
  request.settings["model"] = locate_model(settings.at("model").get<std::string>()).path;
  if (const std::string data = settings.value("data", std::string()); !data.empty()) {
    const DataLocation place = locate_data(data, settings.value("split", std::string()));
    request.settings["data"] = place.path;
    if (!place.split.empty()) request.settings["split"] = place.split;
  }
  request.spawned_at_ns = session.spawned_at_ns();
  request.memory_limit_bytes = memory_limit_bytes;
  request.own_pids = {static_cast<int>(::getpid()), session.worker_pid()};
  return request;
}

}  // namespace transformeter
