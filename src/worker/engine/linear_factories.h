// The linear layer implementations of the engines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/linear.h"
#include "schema/product_choice.h"

namespace transformeter {

class KeptProducts;

struct LinearOptions {
  std::string precision = "fp32";  // of schema/settings.h: what the products compute in
  bool prepacked = false;          // laid out as oneDNN's kernels want them, once
  bool fused = false;              // joined products; bias, activation and residual in the call or in place
  bool is_tried = false;           // there is a first pass, which ObservingLinears may wait for
  bool one_shape = false;          // every pass is of the shapes of that one
  /// Of products in fp32 and bf16 that are prepacked or of requests: "onednn", "mkl" (fp32), what wins a trial
  /// ("trial"), or what won that of an earlier process ("auto").
  std::string kernel = "auto";
  bool decodes = false;  // passes over prompts and over single tokens, which may need different kernels
};

/// Whether each product has the kernel that is fastest for it, or MKL's, and not oneDNN's or the plain one.
bool chooses_kernels(const LinearOptions& options);
/// Whether each product, on plain weights, has a kernel for each number of rows.
bool chooses_by_rows(const LinearOptions& options);

/// Throws Error(kUnsupported) for an implementation that LibTorch lacks.
std::shared_ptr<const LinearFactory> make_linears(const LinearOptions& options);

/// A linear in LibTorch's plain form with the activation and the residual in place of the product's own output.
std::shared_ptr<const LinearFactory> fused_plain_linears();
/// oneDNN's blocked weights. `fused`: activation and residual inside its call.
std::shared_ptr<const LinearFactory> prepacked_linears(bool fused);
/// MKL's packed weights in fp32, for products of `rows` rows; others throw Error(kInternal).
std::shared_ptr<const LinearKernel> mkl_linear(const LinearWeights& weights, std::int64_t rows, bool fused);
/// Weights in fp32 or bf16, each in the form that is fastest here for what it was asked for before it was settled:
/// plain, oneDNN's, in fp32 MKL's, or in bf16 widened. `kernel` as in LinearOptions; "mkl": MKL's without a trial;
/// settling throws Error(kUnsupported) where it got several numbers of rows.
std::shared_ptr<const LinearFactory> measured_linears(bool fused, const std::string& kernel);
/// Weights in bf16, as they are: LibTorch's product, or a widened one, for each number of rows what is fastest here.
/// Settled, a number of rows that was not asked for has the kernel of the nearest one. `kernel`: "auto" or "trial".
std::shared_ptr<const LinearFactory> measured_plain_linears(const std::string& kernel);
/// Weights in int8, one scale a channel; activations in int8, one scale a token, found for each input. Small products
/// (is_worth_int8) stay as they are, here and below.
std::shared_ptr<const LinearFactory> dynamic_int8_linears(const LinearOptions& options);
/// Weights in int8, one scale a channel; activations stay in bf16.
std::shared_ptr<const LinearFactory> weight_only_int8_linears(const LinearOptions& options);

struct SettledProduct {
  ProductChoice choice;
  std::int64_t layers = 0;  // that have such a product
  bool was_kept = false;    // chosen by another process
};

/// Layers that observe their inputs until they are settled: those that need their values compute in full precision,
/// those that need their shapes alone compute nothing.
class ObservingLinears : public LinearFactory {
 public:
  /// The number of calibration examples needed.
  virtual std::int64_t examples() const = 0;
  /// What was chosen, if anything was; `kept`, which may be null, knows choices of other processes. Throws
  /// Error(kUnsupported) for inputs that allow no form.
  virtual std::vector<SettledProduct> settle(KeptProducts* kept) const = 0;
};
/// Weights in int8, one scale a channel; activations in uint8 by the range that each product's inputs had until then.
std::shared_ptr<const LinearFactory> static_int8_linears(const LinearOptions& options);

}  // namespace transformeter
