// One environment for all models of the process; what it has to say comes as exceptions, not on standard error. A drawn
// model is handed over as a file, which is what leaves the session free to drop weights that it keeps in another form;
// that file is never on a disk.
#include "onnx_runtime/onnx_runtime_backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
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

void check_precision(const BackendOptions& options, std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), options.precision) != allowed.end()) return;
  throw Error(ErrorKind::kUnsupported, fmt::format("engine onnxruntime has no precision {} here; it has {}",
                                                   options.precision, fmt::join(allowed, " and ")));
}

// Its builds send what they do to their maker unless they are told not to, from threads of their own.
Ort::Env quiet_environment() {
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  return {ORT_LOGGING_LEVEL_FATAL, "transformeter"};
}

}  // namespace

OnnxRuntimeBackend::OnnxRuntimeBackend() : environment_(quiet_environment()) {}

std::unique_ptr<Model> OnnxRuntimeBackend::make(const Blueprint& blueprint, const Parameters& parameters,
                                                const BackendOptions& options) const {
  check_precision(options, {"fp32", "int8"});
  DrawnOnnx drawn = draw_onnx(blueprint, parameters, options.precision == "int8");
  MemoryFile file("model.onnx");
  std::exchange(drawn.graph, {}).write(drawn.output, [&](std::string_view part) { file.write(part); });
  auto graph = std::make_unique<OrtGraph>(environment_, file.path(), options);
  return make_drawn_model(std::move(graph), std::move(drawn.inputs), blueprint);
}

OpenedModel OnnxRuntimeBackend::open(const GraphFile& file, const BackendOptions& options) const {
  check_precision(options, {"fp32"});  // int8 is the file's own
  auto graph = std::make_unique<OrtGraph>(environment_, file.path, options);
  OpenedModel opened;
  opened.parameters = count_parameters(file.path);
  opened.model = make_file_model(std::move(graph), file.inputs, file.seed, file.path.string());
  return opened;
}

}  // namespace transformeter
