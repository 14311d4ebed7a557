// What an operator that does not say otherwise answers.
#include "model/operators.h"

#include "base/error.h"

namespace transformeter {

at::Tensor Operators::packed_attention(const PackedAttentionInputs&) const {
  throw Error(ErrorKind::kInternal, "these operators do not support packed rows");
}

}  // namespace transformeter
