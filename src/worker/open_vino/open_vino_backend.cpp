// One core for all models of the process.
#include "open_vino/open_vino_backend.h"

#include <utility>

#include "model/drawn_model.h"
#include "open_vino/compiled_graph.h"
#include "open_vino/graph.h"
#include "open_vino/graph_file.h"

namespace transformeter {

std::unique_ptr<Model> OpenVinoBackend::make(const Blueprint& blueprint, const Parameters& parameters,
                                             const BackendOptions& options) const {
  DrawnGraph graph = draw_graph(blueprint, parameters);
  auto compiled =
      std::make_unique<CompiledGraph>(core_, graph.model, options, OpenSizes::kRowsAndTokens, std::move(graph.scopes));
  return make_drawn_model(std::move(compiled), std::move(graph.inputs), blueprint);
}

OpenedModel OpenVinoBackend::open(const GraphFile& file, const BackendOptions& options) const {
  return open_graph_file(core_, file, options);
}

}  // namespace transformeter
