// From options to a form.
#include "engine/linear_factories.h"

namespace transformeter {

bool chooses_by_rows(const LinearOptions& options) {
  return options.decodes && options.is_tried && options.fused && !options.prepacked && options.precision == "bf16" &&
         options.kernel != "onednn";
}

bool chooses_kernels(const LinearOptions& options) {
  if (options.decodes) return chooses_by_rows(options);
  if (!options.prepacked || !options.is_tried || options.kernel == "onednn") return false;
  return options.precision == "bf16" || (options.precision == "fp32" && options.one_shape);
}

std::shared_ptr<const LinearFactory> make_linears(const LinearOptions& options) {
  if (options.precision == "int8") return dynamic_int8_linears(options);
  if (options.precision == "int8_weight_only") return weight_only_int8_linears(options);
  if (options.precision == "int8_static") return static_int8_linears(options);
  if (chooses_by_rows(options)) return measured_plain_linears(options.kernel);
  if (chooses_kernels(options)) return measured_linears(options.fused, options.kernel);
  if (options.prepacked) return prepacked_linears(options.fused);
  return options.fused ? fused_plain_linears() : plain_linears();
}

}  // namespace transformeter
