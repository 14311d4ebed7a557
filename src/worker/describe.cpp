// Joins the engine's declared capabilities with those of the model registry.
#include "worker/describe.h"

#include "base/version.h"
#include "device/runtime.h"
#include "engine/inference_engine.h"
#include "model/registry.h"

namespace transformeter {

Described describe_worker() {
  ModelRegistry models;
  register_builtin_models(models);
  Described described;
  described.capabilities = inference_capabilities();
  described.capabilities.values["family"] = models.architectures().families();
  described.capabilities.values["task"] = models.tasks();
  described.build = describe_runtime();
  described.build["version"] = program_version();
  described.build["git_commit"] = git_commit();
  return described;
}

}  // namespace transformeter
