// Records which operators really ran, by observing LibTorch's dispatcher during one pass.
#pragma once

#include <memory>
#include <set>
#include <string>

namespace transformeter {

/// Observes all threads from construction to destruction; one probe at a time. Costs about a microsecond per operator,
/// so it is only active in the first pass, which is flagged.
class KernelProbe {
 public:
  KernelProbe();
  ~KernelProbe();
  KernelProbe(const KernelProbe&) = delete;
  KernelProbe& operator=(const KernelProbe&) = delete;

  const std::set<std::string>& operators() const { return seen_; }
  /// "flash", "memory_efficient", "cudnn", "math", "fused_dropout", "fused_widened", "eager" or
  /// "none", from the operators seen.
  std::string attention_kernel() const;
  /// What most products with weights were computed by: "linear" (LibTorch's), "widened",
  /// "mkl_prepacked", "onednn_prepacked", "int8", "onednn_int8", "int8_weight_only" or "none".
  std::string linear_kernel() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::set<std::string> seen_;
};

}  // namespace transformeter
