// A TorchScript file as an opaque model: what it computes is its own, what it is given is declared.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/script_inputs.h"

namespace transformeter {

struct ScriptModel {
  std::unique_ptr<Model> model;
  Parameters parameters;  // by the names the file gives them
};

/// Its forward() is called with `inputs` in order, `seed` fills the random ones; floating-point parameters are cast to
/// `type`. Of several outputs the first tensor counts, of named ones `logits` or `last_hidden_state`. Throws
/// Error(kBadInput) for a file that is no TorchScript, and when running for inputs that it does not take.
ScriptModel load_script_model(const std::filesystem::path& file, const std::vector<ScriptInput>& inputs,
                              std::uint64_t seed, const at::TensorOptions& place);

}  // namespace transformeter
