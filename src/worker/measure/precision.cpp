// Types are what ran; only whether fp32 was rounded must be asked.
#include "measure/precision.h"

#include "device/runtime.h"

namespace transformeter {

std::string precision_of(c10::ScalarType weights, c10::ScalarType products, const Device& device) {
  if (products == weights) {
    const bool is_tf32 = weights == c10::ScalarType::Float && is_tf32_allowed() && device.name() != "cpu";
    return is_tf32 ? "tf32" : precision_name(weights);
  }
  // Scaled losses are fp16's own.
  return products == c10::ScalarType::Half ? "fp16" : precision_name(products) + "_autocast";
}

}  // namespace transformeter
