// From options to a form.
#include "engine/linear_factories.h"

namespace transformeter {

bool chooses_kernels(const LinearOptions& options) {
  return options.precision == "fp32" && options.prepacked && options.one_shape && options.kernel != "onednn";
}

std::shared_ptr<const LinearFactory> make_linears(const LinearOptions& options) {
  if (options.precision == "int8") return dynamic_int8_linears(options);
  if (options.precision == "int8_weight_only") return weight_only_int8_linears(options);
  if (options.precision == "int8_static") return static_int8_linears(options);
  if (chooses_kernels(options)) return measured_linears(options.fused, options.kernel);
  if (options.prepacked) return prepacked_linears(options.fused);
  return options.fused ? fused_plain_linears() : plain_linears();
}

}  // namespace transformeter
