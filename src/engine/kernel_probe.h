// Reads back which operators really ran, by watching LibTorch's dispatcher for the length of one pass.
#pragma once

#include <memory>
#include <set>
#include <string>

namespace transformeter {

/// Watches all threads from construction to destruction; one probe at a time. Costs about a microsecond an operator, so
/// it is on only in the first pass, whose time is flagged as such.
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
