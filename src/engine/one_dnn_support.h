// What oneDNN has products for on this processor; LibTorch's own take the place of those that it lacks, and are slow.
#pragma once

namespace transformeter {

bool has_one_dnn_bf16();
bool has_one_dnn_fp16();

}  // namespace transformeter
