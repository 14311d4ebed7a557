// One core for all models of the process.
#include "open_vino/open_vino_backend.h"

#include "open_vino/drawn_model.h"
#include "open_vino/graph_file.h"

namespace transformeter {

std::unique_ptr<Model> OpenVinoBackend::make(const Blueprint& blueprint, const Parameters& parameters,
                                             const BackendOptions& options) const {
  return make_drawn_model(core_, blueprint, parameters, options);
}

OpenedModel OpenVinoBackend::open(const GraphFile& file, const BackendOptions& options) const {
  return open_graph_file(core_, file, options);
}

}  // namespace transformeter
