// A model of a built-in family that another library runs, from a graph drawn of its blueprint.
#pragma once

#include <memory>
#include <vector>

#include "model/graph_inputs.h"
#include "model/library_graph.h"
#include "model/model.h"
#include "spec/blueprint.h"

namespace transformeter {

/// `inputs` in the order of the graph's; its one output is the model's.
std::unique_ptr<Model> make_drawn_model(std::unique_ptr<LibraryGraph> graph, std::vector<GraphInput> inputs,
                                        const Blueprint& blueprint);

}  // namespace transformeter
