// Operations and memory traffic of an operator's call, from the sizes of its inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformeter {

/// What a profiler knows of a call's inputs; other inputs than tensors have no sizes and another type's name.
struct OperatorCall {
  std::string name;
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<std::string> types;  // as LibTorch's profiler names them: "float", "c10::BFloat16"
};

struct OperatorWork {
  double flops = 0;  // 2 for a multiplication with its addition; 0: none, or not known
  double bytes = 0;  // each input once, and the output; 0: not known
};

/// Of an operator that computes or copies by itself: one that calls others has none, so that nothing counts twice.
OperatorWork work_of(const OperatorCall& call);

/// What a table shows instead of the name: of kernels that LibTorch's own names hide, what they do.
std::string readable_name(const std::string& name);

}  // namespace transformeter
