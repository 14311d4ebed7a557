// Products in fp32, each by the kernel that is fastest for it here. Kernels first compute plainly and note what they
// are asked for; settled, each has the kernel that won a trial on inputs of the same sizes.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/kernel_trial.h"
#include "engine/linear_factories.h"

namespace transformeter {
namespace {

// Sums in another order differ by far less; a wrong layout by far more.
constexpr double kTolerance = 1e-4;

// What a layer asks a product for, and on how many threads.
struct LinearUse {
  std::int64_t rows = 0;
  int threads = 0;
  std::optional<Activation> activation = {};
  bool adds = false;  // a residual
  auto operator<=>(const LinearUse&) const = default;
};

at::Tensor compute(const LinearKernel& kernel, const LinearUse& use, const at::Tensor& input,
                   const at::Tensor& residual) {
  if (use.activation) return kernel.activated(input, *use.activation);
  return use.adds ? kernel.added(input, residual) : kernel.forward(input);
}

// Sets LibTorch's number of threads while it lives: that of one stream, where there are several.
class ScopedThreadCount {
 public:
  explicit ScopedThreadCount(int threads) : before_(at::get_num_threads()) { at::set_num_threads(threads); }
  ~ScopedThreadCount() { at::set_num_threads(before_); }
  ScopedThreadCount(const ScopedThreadCount&) = delete;
  ScopedThreadCount& operator=(const ScopedThreadCount&) = delete;

 private:
  int before_;
};

constexpr std::string_view kMkl = "mkl_prepacked";

struct LinearCandidate {
  std::string_view name;
  std::function<std::shared_ptr<const LinearKernel>(const LinearWeights&)> make;
};

// LibTorch's own first, since it is right by definition. MKL's packed form serves one number of rows.
std::vector<LinearCandidate> candidates_for(const std::set<LinearUse>& uses, bool fused) {
  const auto of = [](std::shared_ptr<const LinearFactory> factory) {
    return [factory = std::move(factory)](const LinearWeights& weights) { return factory->make(weights); };
  };
  std::vector<LinearCandidate> candidates{{"linear", of(fused ? fused_plain_linears() : plain_linears())},
                                          {"onednn_prepacked", of(prepacked_linears(fused))}};
  std::set<std::int64_t> rows;
  for (const LinearUse& use : uses) rows.insert(use.rows);
  if (rows.size() == 1 && at::hasMKL()) {
    candidates.push_back({kMkl, [rows = *rows.begin(), fused](const LinearWeights& weights) {
                            return mkl_linear(weights, rows, fused);
                          }});
  }
  return candidates;
}

std::vector<LinearCandidate> mkl_among(const std::vector<LinearCandidate>& candidates) {
  if (candidates.back().name != kMkl) {
    throw Error(ErrorKind::kUnsupported, "products mkl needs rows of one number, and a LibTorch with MKL");
  }
  return {candidates.back()};
}

constexpr std::size_t kUsual = 1;  // oneDNN's, which serves any number of rows

class MeasuredLinear final : public LinearKernel {
 public:
  explicit MeasuredLinear(LinearWeights weights, bool fused)
      : weights_(std::move(weights)),
        bytes_(static_cast<std::int64_t>(weights_.weight.nbytes())),
        plain_((fused ? fused_plain_linears() : plain_linears())->make(weights_)) {}

  at::Tensor forward(const at::Tensor& input) const override { return kernel(input, {}).forward(input); }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    return kernel(input, {.activation = activation}).activated(input, activation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    return kernel(input, {.adds = true}).added(input, residual);
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, true}; }

  const LinearWeights& weights() const { return weights_; }
  const std::set<LinearUse>& uses() const { return uses_; }
  void settle(std::shared_ptr<const LinearKernel> chosen) {
    chosen_ = std::move(chosen);
    plain_ = nullptr;
    weights_ = {};
  }

 private:
  const LinearKernel& kernel(const at::Tensor& input, LinearUse use) const {
    if (chosen_) return *chosen_;
    use.rows = input.numel() / input.size(-1);
    use.threads = at::get_num_threads();
    const std::lock_guard lock(mutex_);
    uses_.insert(use);
    return *plain_;
  }

  LinearWeights weights_;  // until it is settled
  std::int64_t bytes_;
  std::shared_ptr<const LinearKernel> plain_;
  std::shared_ptr<const LinearKernel> chosen_;
  mutable std::mutex mutex_;
  mutable std::set<LinearUse> uses_;
};

// Products that are asked for the same with weights of the same sizes have the same kernel.
using Sizes = std::tuple<std::int64_t, std::int64_t, bool, std::set<LinearUse>>;

class MeasuredLinears final : public ObservingLinears {
 public:
  MeasuredLinears(bool fused, bool mkl_only) : fused_(fused), mkl_only_(mkl_only) {}

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    auto kernel = std::make_shared<MeasuredLinear>(weights, fused_);
    kernels_.push_back(kernel);
    return kernel;
  }
  bool joins_products() const override { return fused_; }
  std::int64_t examples() const override { return 1; }

  std::vector<ProductChoice> settle() const override {
    std::map<Sizes, Chosen> chosen;
    for (const auto& kernel : kernels_) {
      std::vector<LinearCandidate> candidates = candidates_for(kernel->uses(), fused_);
      if (mkl_only_ && !kernel->uses().empty()) candidates = mkl_among(candidates);
      auto known = chosen.find(sizes_of(*kernel));
      if (known == chosen.end()) known = chosen.emplace(sizes_of(*kernel), fastest(candidates, *kernel)).first;
      ++known->second.product.layers;
      kernel->settle(candidates.at(known->second.index).make(kernel->weights()));
    }
    kernels_.clear();
    std::vector<ProductChoice> products;
    for (auto& [sizes, one] : chosen) products.push_back(std::move(one.product));
    return products;
  }

 private:
  struct Chosen {
    std::size_t index = kUsual;
    ProductChoice product;
  };

  static Sizes sizes_of(const MeasuredLinear& kernel) {
    const LinearWeights& weights = kernel.weights();
    return {weights.weight.size(0), weights.weight.size(1), weights.bias.defined(), kernel.uses()};
  }

  static Chosen fastest(const std::vector<LinearCandidate>& candidates, const MeasuredLinear& kernel) {
    Chosen chosen;
    ProductChoice& product = chosen.product;
    product.outputs = kernel.weights().weight.size(0);
    product.inputs = kernel.weights().weight.size(1);
    for (const LinearUse& use : kernel.uses()) product.rows.push_back(use.rows);
    if (candidates.size() == 1) {
      chosen.index = 0;
    } else if (!kernel.uses().empty()) {
      product.threads = kernel.uses().begin()->threads;  // the same in all its uses: streams have equal shares
      const ScopedThreadCount scope(product.threads);
      KernelChoice choice = choose_kernel(trials_of(candidates, kernel), kUsual, kTolerance, SystemClock());
      chosen.index = choice.index;
      product.trials = std::move(choice.trials);
    }
    product.kernel = candidates.at(chosen.index).name;
    return chosen;
  }

  static std::vector<KernelCandidate> trials_of(const std::vector<LinearCandidate>& candidates,
                                                const MeasuredLinear& kernel) {
    struct Asked {
      LinearUse use;
      at::Tensor input, residual;
    };
    const LinearWeights& weights = kernel.weights();
    const auto numbers = [](std::int64_t rows, std::int64_t columns) {
      return at::linspace(-1, 1, rows * columns).view({rows, columns});
    };
    std::vector<Asked> asked;
    for (const LinearUse& use : kernel.uses()) {
      asked.push_back({use, numbers(use.rows, weights.weight.size(1)), numbers(use.rows, weights.weight.size(0))});
    }
    std::vector<KernelCandidate> trials;
    for (const LinearCandidate& candidate : candidates) {
      trials.push_back({candidate.name, [make = candidate.make, weights, asked] {
                          return [made = make(weights), asked] {
                            at::Tensor output;
                            for (const Asked& one : asked) output = compute(*made, one.use, one.input, one.residual);
                            return output;
                          };
                        }});
    }
    return trials;
  }

  bool fused_;
  bool mkl_only_;
  mutable std::vector<std::shared_ptr<MeasuredLinear>> kernels_;
};

}  // namespace

std::shared_ptr<const LinearFactory> measured_linears(bool fused, bool mkl_only) {
  return std::make_shared<MeasuredLinears>(fused, mkl_only);
}

}  // namespace transformeter
