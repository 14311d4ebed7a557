// Beside the choice of kernels in training_operators.cpp.
#include "engine/saved_for_backward.h"

#include "engine/one_dnn_support.h"

namespace transformeter {

SavedForBackward saved_for_backward(const std::string& attention, bool fused, bool needed_tokens) {
  SavedForBackward kept;
  kept.attention_shares = SharesKept::kWithDropout;
  if (attention == "eager" || attention == "math") kept.attention_shares = SharesKept::kAlways;
  if (attention == "flash" || (attention == "sdpa" && fused)) kept.attention_shares = SharesKept::kNever;
  kept.composes_columns = attention == "sdpa";
  kept.own_attention = fused && attention == "sdpa";
  kept.wide_shares = attention != "eager";
  kept.dropout_masks = !fused;
  kept.unneeded_tokens = !needed_tokens;
  kept.widened_products = fused && !has_one_dnn_bf16();
  return kept;
}

}  // namespace transformeter
