// The interface between the worker and the plug-in of a library that runs whole models in LibTorch's place. A plug-in
// is built from the same sources with the same compiler and LibTorch, as a device's is (device/plugin.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/blueprint.h"
#include "spec/script_inputs.h"

namespace transformeter {

struct BackendOptions {
  std::string precision = "fp32";  // as the setting names it
  int threads = 1;
  std::vector<int> processors;  // of each thread, which it is pinned to; empty: threads go where they like
  bool counts_nodes = false;    // for Model::node_counters, which takes time in each pass
};

/// A file that holds a whole model.
struct GraphFile {
  std::filesystem::path path;
  std::vector<ScriptInput> inputs;  // in the order of the file's; empty: as their names say
  std::uint64_t seed = 0;           // of random inputs
};

struct OpenedModel {
  std::unique_ptr<Model> model;
  std::int64_t parameters = 0;
  bool is_quantized = false;  // it holds weights in 8 bits or fewer
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// A model whose forward pass the library computes from padded batches, without a cache. Weights are in fp32 and may
  /// be used where they lie: the model keeps what it needs of them. Throws Error: kUnsupported for what it cannot run,
  /// kOutOfMemory.
  virtual std::unique_ptr<Model> make(const Blueprint& blueprint, const Parameters& parameters,
                                      const BackendOptions& options) const = 0;
  /// Throws Error: kBadInput for a file that cannot be read, inputs that are not understood, and, when running, those
  /// that it does not take; kUnsupported for what cannot run.
  virtual OpenedModel open(const GraphFile& file, const BackendOptions& options) const = 0;
};

/// A backend's library has one function, by this name. Returns its backend, never null, which lives as long as the
/// library is loaded. Raise the number with every change of Model, Backend or BackendOptions, so that a library that
/// was built before is refused, instead of called with what it does not know.
using BackendEntry = const Backend*();
constexpr const char* kBackendEntry = "transformeter_backend_2";

}  // namespace transformeter
