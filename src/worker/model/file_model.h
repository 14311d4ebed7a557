// A file of another library's as a model: what it computes is its own, what it is given is declared or follows from the
// names of its inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/library_graph.h"
#include "model/model.h"
#include "spec/script_inputs.h"

namespace transformeter {

/// `inputs` in the order of the graph's; empty: as their names say. `seed` fills the random ones. Throws Error:
/// kBadInput, which begins with `file`, for inputs that are not understood, kUnsupported for one in a type that
/// LibTorch lacks.
std::unique_ptr<Model> make_file_model(std::unique_ptr<LibraryGraph> graph, std::vector<ScriptInput> inputs,
                                       std::uint64_t seed, const std::string& file);

}  // namespace transformeter
