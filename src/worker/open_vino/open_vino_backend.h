// Models that OpenVINO's CPU plug-in runs.
#pragma once

#include <openvino/runtime/core.hpp>
#include <string>

#include "engine/backend.h"

namespace transformeter {

class OpenVinoBackend final : public Backend {
 public:
  std::string version() const override;
  std::unique_ptr<Model> make(const Blueprint& blueprint, const Parameters& parameters,
                              const BackendOptions& options) const override;

 private:
  mutable ov::Core core_;
};

}  // namespace transformeter
