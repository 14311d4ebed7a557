#include "schema/kernel_times.h"

namespace transformeter {

void add_times(const std::vector<KernelTrial>& trials, Json& json) {
  json["seconds"] = Json::object();
  json["refused"] = Json::object();
  for (const KernelTrial& trial : trials) {
    if (trial.refusal.empty()) {
      json["seconds"][trial.name] = trial.seconds;
    } else {
      json["refused"][trial.name] = trial.refusal;
    }
  }
}

}  // namespace transformeter
