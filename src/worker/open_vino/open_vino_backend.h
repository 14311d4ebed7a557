// OpenVINO's plug-in for the CPU behind the interface of backends.
#pragma once

#include <openvino/runtime/core.hpp>

#include "engine/backend.h"

namespace transformeter {

class OpenVinoBackend final : public Backend {
 public:
  std::unique_ptr<Model> make(const Blueprint& blueprint, const Parameters& parameters,
                              const BackendOptions& options) const override;
  OpenedModel open(const GraphFile& file, const BackendOptions& options) const override;

 private:
  mutable ov::Core core_;
};

}  // namespace transformeter
