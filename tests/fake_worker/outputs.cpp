// Input k is row k of a chessboard of +1 and −1.
#include "fake_worker/outputs.h"

#include <algorithm>

namespace transformeter {

Outputs fake_outputs(const FakeOutputs& behaviour, const OutputRequest& request) {
  Outputs outputs;
  outputs.width = behaviour.width;
  const double error = request.attention_mask ? behaviour.error : behaviour.unmasked_error;
  for (std::int64_t input = 0; input < behaviour.inputs; ++input) {
    const std::vector<std::int64_t>& named = request.inputs;
    const bool is_wanted =
        named.empty() ? input < request.most_inputs : std::find(named.begin(), named.end(), input) != named.end();
    if (!is_wanted) continue;
    outputs.inputs.push_back(input);
    outputs.rows.push_back(1);
    for (std::int64_t column = 0; column < behaviour.width; ++column) {
      const double exact = (input + column) % 2 == 0 ? 1 : -1;
      outputs.values.push_back(static_cast<float>(exact + error));
    }
  }
  return outputs;
}

}  // namespace transformeter
