// The library's entry, and its mark.
#include <torch/headeronly/version.h>

#include "device/plugin.h"
#include "onnx_runtime/onnx_runtime_backend.h"

extern "C" {

/// Read from the file by whoever opens it.
extern const char kTransformeterPluginMark[];
const char kTransformeterPluginMark[] = TRANSFORMETER_PLUGIN_MARK TORCH_VERSION;

const transformeter::Backend* transformeter_backend_2() {
  static const transformeter::OnnxRuntimeBackend kBackend;
  return &kBackend;
}
}
