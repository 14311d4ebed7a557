// Which matrix products oneDNN supports on this CPU; LibTorch falls back to slow kernels of its own for others.
#pragma once

namespace transformeter {

bool has_one_dnn_bf16();
bool has_one_dnn_fp16();

}  // namespace transformeter
