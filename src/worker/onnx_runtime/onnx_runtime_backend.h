// ONNX Runtime's provider for the CPU behind the interface of backends.
#pragma once

#include <onnxruntime_cxx_api.h>

#include "engine/backend.h"

namespace transformeter {

class OnnxRuntimeBackend final : public Backend {
 public:
  OnnxRuntimeBackend();
  std::unique_ptr<Model> make(const Blueprint& blueprint, const Parameters& parameters,
                              const BackendOptions& options) const override;
  OpenedModel open(const GraphFile& file, const BackendOptions& options) const override;

 private:
  Ort::Env environment_;
};

}  // namespace transformeter
