// Records which operators really ran, and in which number formats, by observing LibTorch's dispatcher during one pass.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "schema/linear_types.h"

namespace transformeter {

/// Observes all threads from construction to destruction; one probe at a time. Costs a few microseconds per
/// operator, so it is only active in the first pass, which is flagged.
class KernelProbe {
 public:
  KernelProbe();
  ~KernelProbe();
  KernelProbe(const KernelProbe&) = delete;
  KernelProbe& operator=(const KernelProbe&) = delete;

  const std::set<std::string>& operators() const;
  /// "flash", "tiled", "flash and tiled", "flash_varlen", "memory_efficient", "cudnn", "math", "fused_dropout",
  /// "fused_widened", "eager" or "none", from the operators seen.
  std::string attention_kernel() const;
  /// What the most operations of products with weights were computed by, or int8 kernels where there are any: "linear"
  /// (LibTorch's), "onednn", "widened", "widened_onednn", "mkl_prepacked", "onednn_prepacked", "int8", "onednn_int8",
  /// "int8_weight_only", "int8_widened" or "none".
  std::string linear_kernel() const;
  /// The formats of all products with weights, largest share of the operations first; those of backward passes are left
  /// out.
  std::vector<LinearType> linear_types() const;
  /// Operations of all of them.
  double linear_flops() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace transformeter
