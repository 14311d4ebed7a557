// Joins the engine's declared capabilities with those of the model registry.
#include "worker/describe.h"

#include "base/version.h"
#include "device/devices.h"
#include "device/runtime.h"
#include "engine/capabilities.h"
#include "scenario/matrix_products.h"
#include "spec/foreign_architecture.h"

namespace transformeter {

Described describe_worker(const WorkerParts& parts) {
  const Architectures& architectures = parts.models.architectures();
  Described described;
  described.capabilities = inference_capabilities();
  described.capabilities.values["family"] = architectures.families();
  described.capabilities.values["task"] = parts.models.tasks();
  described.capabilities.values["scenario"] = {"batch", "generate"};
  described.capabilities.values["peak_precision"] = product_precisions();
  described.capabilities.values["peak_device"] = {"cpu"};
  if (devices_here().names.size() > 1) {
    described.capabilities.reasons["peak_device=cuda"] = "peaks of GPUs are not measured yet";
  }
  described.capabilities.native["peak_precision"] = native_product_precisions();
  for (const std::string& family : architectures.families()) {
    if (builtin_architectures().find(family)) continue;
    described.architectures.push_back(described_architecture(*architectures.find(family)));
  }
  described.gives_outputs = true;
  described.build = describe_runtime();
  described.build["version"] = program_version();
  described.build["git_commit"] = git_commit();
  return described;
}

}  // namespace transformeter
