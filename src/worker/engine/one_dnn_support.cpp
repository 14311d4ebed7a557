// LibTorch asks the processor.
#include "engine/one_dnn_support.h"

#include "engine/dispatched_operator.h"

namespace transformeter {

bool has_one_dnn_bf16() {
  return dispatched_operator<bool()>("mkldnn::_is_mkldnn_bf16_supported").call();
}

bool has_one_dnn_fp16() {
  return dispatched_operator<bool()>("mkldnn::_is_mkldnn_fp16_supported").call();
}

}  // namespace transformeter
