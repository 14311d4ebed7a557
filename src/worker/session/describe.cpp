// Joins the engine's declared capabilities with those of the model registry.
#include "session/describe.h"

#include "base/version.h"
#include "device/devices.h"
#include "device/runtime.h"
#include "engine/capabilities.h"
#include "measure/matrix_products.h"
#include "spec/foreign_architecture.h"

namespace transformeter {

Described describe_worker(const WorkerParts& parts) {
  const Architectures& architectures = parts.models.architectures();
  Described described;
  described.capabilities = inference_capabilities();
  described.capabilities.values["family"] = architectures.families();
  described.capabilities.values["task"] = parts.models.tasks();
  described.capabilities.values["scenario"] = {"batch", "generate", "train", "finetune"};
  described.capabilities.values["peak_precision"] = product_precisions();
  described.capabilities.native["peak_precision"] = native_product_precisions();
  if (const auto precisions = gpu_product_precisions(); !precisions.empty()) {
    described.capabilities.values["peak_precision@cuda"] = precisions;
    described.capabilities.native["peak_precision@cuda"] = native_gpu_product_precisions();
  }
  for (const std::string& family : architectures.families()) {
    if (builtin_architectures().find(family)) continue;
    described.architectures.push_back(described_architecture(*architectures.find(family)));
  }
  described.gives_outputs = true;
  described.build = describe_runtime();
  if (!devices_here().descriptions.empty()) described.build["devices"] = devices_here().descriptions;
  described.build["version"] = program_version();
  described.build["git_commit"] = git_commit();
  return described;
}

}  // namespace transformeter
