// The seam for matrix products with weights: a layer asks for y = x Wᵀ + b and what follows it, an engine chooses how
// the weights lie and what is computed in one call.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "spec/blueprint.h"

namespace transformeter {

/// As a checkpoint holds them: W [out, in] of any strides, b [out]; undefined bias: none.
struct LinearWeights {
  at::Tensor weight;
  at::Tensor bias;
};

/// How a kernel holds its weights and what it computes in, in the words of schema/settings.h.
struct LinearForm {
  std::string precision;  // empty: that of its inputs
  bool prepacked = false;
};

/// What a product multiplies with its weights, [..., in]: as a layer has it, or in a format of the kernel's own.
struct LinearOperand {
  at::Tensor values;
  at::Tensor scales;  // of rows, [N]; undefined: none
};

/// One product with its weights in an engine's form. Inputs [..., in] give [..., out]. Used by several threads at once.
class LinearKernel {
 public:
  virtual ~LinearKernel() = default;
  virtual at::Tensor forward(const at::Tensor& input) const = 0;
  /// activation(x Wᵀ + b).
  virtual at::Tensor activated(const at::Tensor& input, Activation activation) const;
  /// x Wᵀ + b + residual, [..., out].
  virtual at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const;
  /// activated(input, activation) for `next.added_to`, in the format that `next` multiplies if this kernel can.
  virtual LinearOperand activated_for(const LinearKernel& next, const at::Tensor& input, Activation activation) const;
  /// added() of an operand that was made for this kernel.
  virtual at::Tensor added_to(const LinearOperand& operand, const at::Tensor& residual) const;
  /// Of a form of the weights that this kernel keeps for itself; 0: it uses the tensors it was given.
  virtual std::int64_t own_bytes() const { return 0; }
  virtual LinearForm form() const { return {}; }
};

/// What layers with the same weights have in common.
enum class LinearSharing {
  kKernel,  // one kernel serves them all
  kForm,    // each has a kernel, and all kernels one form of the weights
  kNone,
};

class LinearFactory {
 public:
  virtual ~LinearFactory() = default;
  virtual std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const = 0;
  /// Whether convolutions may stay as they are beside these products; else a model that has any cannot run so.
  virtual bool allows_convolutions() const { return true; }
  /// Whether products of one input are to be one product with their outputs side by side.
  virtual bool joins_products() const { return false; }
  /// Of kernels that keep a form of their own.
  virtual LinearSharing sharing() const { return LinearSharing::kKernel; }
};

/// LibTorch's linear on the tensors as they are.
std::shared_ptr<const LinearFactory> plain_linears();

}  // namespace transformeter
