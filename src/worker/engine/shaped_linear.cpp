// MKL's packed single-precision product, whose packed form is for one number of rows: faster than oneDNN's blocked form
// where a case has one (docs/benchmarks.md). Kernels first compute plainly and note how many rows they get; settled,
// those that had one number take MKL's form, and the others oneDNN's.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/activate.h"
#include "engine/dispatched_operator.h"
#include "engine/linear_factories.h"

namespace transformeter {
namespace {

using Reorder = at::Tensor(const at::Tensor& weight, std::int64_t rows);
using Product = at::Tensor(const at::Tensor& input, const at::Tensor& packed, const at::Tensor& original,
                           const std::optional<at::Tensor>& bias, std::int64_t rows);

class MklPacked {
 public:
  MklPacked(const LinearWeights& weights, std::int64_t rows)
      : rows_(rows),
        bias_(weights.bias.defined() ? std::optional(weights.bias) : std::nullopt),
        // The operator takes the original for its sizes, and to fall back on, which is not allowed to happen.
        sizes_(at::zeros({1}).expand(weights.weight.sizes())),
        packed_(
            dispatched_operator<Reorder>("mkl::_mkl_reorder_linear_weight").call(weights.weight.contiguous(), rows)),
        product_(dispatched_operator<Product>("mkl::_mkl_linear")) {}

  at::Tensor multiply(const at::Tensor& input) const {
    const std::int64_t rows = input.numel() / input.size(-1);
    if (rows != rows_) {
      throw Error(ErrorKind::kInternal, fmt::format("a linear layer packed for {} rows got {}", rows_, rows));
    }
    return product_.call(input.contiguous(), packed_, sizes_, bias_, rows_);
  }

 private:
  std::int64_t rows_;
  std::optional<at::Tensor> bias_;
  at::Tensor sizes_;
  at::Tensor packed_;  // opaque: MKL's
  c10::TypedOperatorHandle<Product> product_;
};

class ShapedLinear final : public LinearKernel {
 public:
  ShapedLinear(LinearWeights weights, bool fused)
      : weights_(std::move(weights)), bytes_(static_cast<std::int64_t>(weights_.weight.nbytes())), fused_(fused) {}

  at::Tensor forward(const at::Tensor& input) const override {
    if (mkl_) return mkl_->multiply(input);
    return other_ ? other_->forward(input) : observed(input);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    if (other_) return other_->activated(input, activation);
    if (!fused_) return LinearKernel::activated(input, activation);
    at::Tensor output = forward(input);
    activate_in_place(output, activation);
    return output;
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    if (other_) return other_->added(input, residual);
    if (!fused_) return LinearKernel::added(input, residual);
    at::Tensor output = forward(input);
    output.add_(residual);
    return output;
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, true}; }

  void settle(const LinearFactory& others) {
    if (rows_.size() == 1) {
      mkl_.emplace(weights_, *rows_.begin());
    } else {
      other_ = others.make(weights_);
    }
    weights_ = {};
  }

 private:
  at::Tensor observed(const at::Tensor& input) const {
    {
      const std::lock_guard lock(mutex_);
      rows_.insert(input.numel() / input.size(-1));
    }
    return at::linear(input, weights_.weight, weights_.bias);
  }

  LinearWeights weights_;  // until it is settled
  std::int64_t bytes_;
  bool fused_;
  mutable std::mutex mutex_;
  mutable std::set<std::int64_t> rows_;
  std::optional<MklPacked> mkl_;
  std::shared_ptr<const LinearKernel> other_;
};

class ShapedLinears final : public ObservingLinears {
 public:
  explicit ShapedLinears(bool fused) : fused_(fused), others_(prepacked_linears(fused)) {}

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    auto kernel = std::make_shared<ShapedLinear>(weights, fused_);
    kernels_.push_back(kernel);
    return kernel;
  }
  bool joins_products() const override { return fused_; }
  std::int64_t examples() const override { return 1; }
  void settle() const override {
    for (const auto& kernel : kernels_) kernel->settle(*others_);
    kernels_.clear();
  }

 private:
  bool fused_;
  std::shared_ptr<const LinearFactory> others_;
  mutable std::vector<std::shared_ptr<ShapedLinear>> kernels_;
};

}  // namespace

std::shared_ptr<const LinearFactory> shaped_linears(bool fused) {
  if (!at::hasMKL()) return prepacked_linears(fused);
  return std::make_shared<ShapedLinears>(fused);
}

}  // namespace transformeter
