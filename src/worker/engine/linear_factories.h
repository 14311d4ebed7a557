// The linear layer implementations of the engines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernel_trial.h"
#include "model/linear.h"

namespace transformeter {

struct LinearOptions {
  std::string precision = "fp32";  // of schema/settings.h: what the products compute in
  bool prepacked = false;          // laid out as oneDNN's kernels want them, once
  bool fused = false;              // joined products; bias, activation and residual in the call or in place
  bool one_shape = false;          // every pass is of the shapes of the first, which ObservingLinears may wait for
  std::string kernel = "auto";     // of prepacked products in fp32: "onednn", "mkl", or what wins a trial
};

/// Throws Error(kUnsupported) for an implementation that LibTorch lacks.
std::shared_ptr<const LinearFactory> make_linears(const LinearOptions& options);

/// A linear in LibTorch's plain form with the activation and the residual in place of the product's own output.
std::shared_ptr<const LinearFactory> fused_plain_linears();
/// LibTorch's, but that products of bf16, autocast's too, are computed in fp32 from values of bf16 and rounded to bf16:
/// what bf16's own instructions do, where a processor has none. With gradients; those of weights in fp32 stay
/// unrounded.
std::shared_ptr<const LinearFactory> widened_linears();
/// oneDNN's blocked weights. `fused`: activation and residual inside its call.
std::shared_ptr<const LinearFactory> prepacked_linears(bool fused);
/// MKL's packed weights in fp32, for products of `rows` rows; others throw Error(kInternal).
std::shared_ptr<const LinearKernel> mkl_linear(const LinearWeights& weights, std::int64_t rows, bool fused);
/// Weights in fp32, each in the form that was fastest here for what it was asked for before it was settled: plain,
/// oneDNN's, or MKL's. `mkl_only`: MKL's without a trial; throws Error(kUnsupported) where it gets several numbers of
/// rows.
std::shared_ptr<const LinearFactory> measured_linears(bool fused, bool mkl_only);
/// Weights in int8, one scale a channel; activations in int8, one scale a token, found for each input. Small products
/// (is_worth_int8) stay as they are, here and below.
std::shared_ptr<const LinearFactory> dynamic_int8_linears(const LinearOptions& options);
/// Weights in int8, one scale a channel; activations stay in bf16.
std::shared_ptr<const LinearFactory> weight_only_int8_linears(const LinearOptions& options);

/// The kernel that products of these sizes got, and by which times.
struct ProductChoice {
  std::vector<std::int64_t> rows;  // of inputs; several where lengths differ
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t layers = 0;  // that have such a product
  int threads = 0;          // that it is computed on, and was tried on; 0: it was not tried
  std::string kernel;
  std::vector<KernelTrial> trials;
};

/// Layers that observe their inputs, computing in full precision, until they are calibrated.
class ObservingLinears : public LinearFactory {
 public:
  /// The number of calibration examples needed.
  virtual std::int64_t examples() const = 0;
  /// What was chosen by trials, if any. Throws Error(kUnsupported) for inputs that allow no form.
  virtual std::vector<ProductChoice> settle() const = 0;
};
/// Weights in int8, one scale a channel; activations in uint8 by the range that each product's inputs had until then.
std::shared_ptr<const LinearFactory> static_int8_linears(const LinearOptions& options);

}  // namespace transformeter
