// One environment for all models of the process; what it has to say comes as exceptions, not on standard error. A drawn
// model is handed over as a file, which is what leaves the session free to drop weights that it keeps in another form;
// that file is never on a disk.
#include "onnx_runtime/onnx_runtime_backend.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "model/drawn_model.h"
#include "model/file_model.h"
#include "onnx_runtime/drawing.h"
#include "onnx_runtime/memory_file.h"
#include "onnx_runtime/onnx_file.h"
#include "onnx_runtime/ort_graph.h"

namespace transformeter {
namespace {

// ONNX Runtime sends telemetry to Microsoft, from threads of its own, unless it is told not to.
Ort::Env quiet_environment() {
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  return {ORT_LOGGING_LEVEL_FATAL, "transformeter"};
}

}  // namespace

OnnxRuntimeBackend::OnnxRuntimeBackend() : environment_(quiet_environment()) {}

std::unique_ptr<Model> OnnxRuntimeBackend::make(const Blueprint& blueprint, const Parameters& parameters,
                                                const BackendOptions& options) const {
  const std::string& precision = options.precision;
  if (precision != "fp32" && precision != "int8") {
    throw Error(ErrorKind::kUnsupported, fmt::format("engine onnxruntime has no precision {} here", precision));
  }
  DrawnOnnx drawn = draw_onnx(blueprint, parameters, precision == "int8");
  MemoryFile file("model.onnx");
  GraphScopes scopes = std::move(drawn.graph.scopes());
  std::exchange(drawn.graph, {}).write(drawn.output, [&](std::string_view part) { file.write(part); });
  auto graph = std::make_unique<OrtGraph>(environment_, file.path(), "the model", options, std::move(scopes));
  return make_drawn_model(std::move(graph), std::move(drawn.inputs), blueprint);
}

OpenedModel OnnxRuntimeBackend::open(const GraphFile& file, const BackendOptions& options) const {
  if (options.precision != "fp32") {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("engine onnxruntime has no precision {} for ONNX files; use --precision fp32, with which a "
                            "file's own products in int8 run as they are",
                            options.precision));
  }
  auto graph = std::make_unique<OrtGraph>(environment_, file.path, file.path.string(), options);
  OpenedModel opened;
  const OnnxWeights weights = weights_in(file.path);
  opened.parameters = weights.elements;
  opened.is_quantized = weights.is_quantized;
  opened.model = make_file_model(std::move(graph), file.inputs, file.seed, file.path.string());
  return opened;
}

}  // namespace transformeter
