// The interface between the worker and the plug-in of a library that runs whole models in LibTorch's place. A plug-in
// is built from the same sources with the same compiler and LibTorch, as a device's is (device/plugin.h).
#pragma once

#include <memory>
#include <string>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

struct BackendOptions {
  std::string precision = "fp32";  // as the setting names it
  int threads = 1;
  bool pins_threads = false;  // each to a core
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// The library with its version: "OpenVINO 2026.4.1".
  virtual std::string version() const = 0;
  /// A model whose forward pass the library computes from padded batches, without a cache. Weights are in fp32 and may
  /// be used where they lie: the model keeps what it needs of them. Throws Error: kUnsupported for what it cannot run,
  /// kOutOfMemory.
  virtual std::unique_ptr<Model> make(const Blueprint& blueprint, const Parameters& parameters,
                                      const BackendOptions& options) const = 0;
};

/// A backend's library has one function, by this name. Returns its backend, never null, which lives as long as the
/// library is loaded.
using BackendEntry = const Backend*();
constexpr const char* kBackendEntry = "transformeter_backend";

}  // namespace transformeter
