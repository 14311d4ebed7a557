// Products in fp32 and bf16, each by the kernel that is fastest for it here. Kernels first compute nothing and note
// what they are asked for; settled, each has the kernel that won a trial on inputs of the same sizes. Of weights as
// they are it may have several, one for each number of rows, since none of them keeps a copy.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/kernel_trial.h"
#include "engine/linear_factories.h"
#include "engine/widened_linear.h"
#include "machine/kept_products.h"
#include "spec/config_reader.h"

namespace transformeter {
namespace {

// What a layer asks a product for.
struct LinearUse {
  std::int64_t rows = 0;
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

bool is_bf16(const LinearWeights& weights) {
  return weights.weight.scalar_type() == c10::ScalarType::BFloat16;
}

enum class WeightForm {
  kAny,    // each kernel's own
  kPlain,  // as they are
};

// LibTorch's own first, since it is right by definition. MKL's packed form serves one number of rows.
std::vector<LinearCandidate> candidates_for(const std::set<LinearUse>& uses, bool fused, bool in_bf16,
                                            WeightForm form) {
  const auto of = [](std::shared_ptr<const LinearFactory> factory) {
    return [factory = std::move(factory)](const LinearWeights& weights) { return factory->make(weights); };
  };
  std::vector<LinearCandidate> candidates{{"linear", of(fused ? fused_plain_linears() : plain_linears())}};
  if (form == WeightForm::kAny) candidates.push_back({"onednn_prepacked", of(prepacked_linears(fused))});
  if (in_bf16) {
    for (const WideProduct product : {WideProduct::kLibTorch, WideProduct::kOneDnn}) {
      candidates.push_back({name_of(product), [product, fused](const LinearWeights& weights) {
                              return widened_linear(weights, product, fused);
                            }});
    }
    return candidates;
  }
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
    throw Error(ErrorKind::kUnsupported, "products mkl needs fp32, rows of one number, and a LibTorch with MKL");
  }
  return {candidates.back()};
}

// oneDNN's, which serves any number of rows, or LibTorch's.
constexpr std::size_t usual_of(WeightForm form) {
  return form == WeightForm::kAny ? 1 : 0;
}

std::int64_t rows_of(const at::Tensor& input) {
  return input.numel() / input.size(-1);
}

struct ChosenKernel {
  std::int64_t rows = 0;  // that it was chosen for, where there are several
  std::shared_ptr<const LinearKernel> kernel;
};

class MeasuredLinear final : public LinearKernel {
 public:
  MeasuredLinear(LinearWeights weights, bool fused, WeightForm form)
      : weights_(std::move(weights)),
        bytes_(form == WeightForm::kAny ? static_cast<std::int64_t>(weights_.weight.nbytes()) : 0),
        fused_(fused),
        form_(form) {}

  at::Tensor forward(const at::Tensor& input) const override {
    return is_settled() ? chosen_for(input).forward(input) : noted(input, {});
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    return is_settled() ? chosen_for(input).activated(input, activation) : noted(input, {.activation = activation});
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    return is_settled() ? chosen_for(input).added(input, residual) : noted(input, {.adds = true});
  }
  std::int64_t own_bytes() const override { return bytes_; }
  LinearForm form() const override { return {{}, form_ == WeightForm::kAny}; }

  const LinearWeights& weights() const { return weights_; }
  /// What one kernel is chosen for, ascending by rows; one empty set where nothing was asked.
  std::vector<std::set<LinearUse>> uses() const {
    std::vector<std::set<LinearUse>> together;
    for (const LinearUse& use : uses_) {
      const bool is_apart =
          form_ == WeightForm::kPlain && !together.empty() && together.back().begin()->rows != use.rows;
      if (together.empty() || is_apart) together.emplace_back();
      together.back().insert(use);
    }
    if (together.empty()) together.emplace_back();
    return together;
  }
  ProductSize size_for(const std::set<LinearUse>& uses) const {
    ProductSize size{weights_.weight.size(1), weights_.weight.size(0), weights_.bias.defined(), fused_, threads_, {}};
    for (const LinearUse& use : uses) {
      const std::string_view what = use.activation ? activation_name(*use.activation) : use.adds ? "residual" : "";
      size.uses.push_back({use.rows, std::string(what)});
    }
    std::sort(size.uses.begin(), size.uses.end());
    if (is_bf16(weights_)) size.precision = "bf16";
    size.has_plain_weights = form_ == WeightForm::kPlain;
    return size;
  }
  /// `chosen`: at least one, ascending by rows.
  void settle(std::vector<ChosenKernel> chosen) {
    chosen_ = std::move(chosen);
    weights_ = {};
  }

 private:
  bool is_settled() const { return !chosen_.empty(); }

  // Of the nearest number of rows, by their ratio.
  const LinearKernel& chosen_for(const at::Tensor& input) const {
    const auto rows = static_cast<double>(rows_of(input));
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < chosen_.size(); ++i) {
      const auto below = static_cast<double>(chosen_[i - 1].rows);
      const auto above = static_cast<double>(chosen_[i].rows);
      if (rows * rows > below * above) nearest = i;
    }
    return *chosen_[nearest].kernel;
  }

  // Zeros in the shape of the product, for what follows it to have one.
  at::Tensor noted(const at::Tensor& input, LinearUse use) const {
    use.rows = rows_of(input);
    std::vector<std::int64_t> shape = input.sizes().vec();
    shape.back() = weights_.weight.size(0);
    const std::lock_guard lock(mutex_);
    threads_ = at::get_num_threads();
    uses_.insert(use);
    return at::zeros(shape, input.options());
  }

  LinearWeights weights_;  // until it is settled
  std::int64_t bytes_;
  std::vector<ChosenKernel> chosen_;  // empty until it is settled
  bool fused_;
  WeightForm form_;
  mutable std::mutex mutex_;
  mutable int threads_ = 0;  // the same in all uses: streams have equal shares
  mutable std::set<LinearUse> uses_;
};

class MeasuredLinears final : public ObservingLinears {
 public:
  MeasuredLinears(bool fused, std::string kernel, WeightForm form)
      : fused_(fused), kernel_(std::move(kernel)), form_(form) {}

  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    auto kernel = std::make_shared<MeasuredLinear>(weights, fused_, form_);
    kernels_.push_back(kernel);
    return kernel;
  }
  bool joins_products() const override { return fused_; }
  // Each kernel notes what its layer asks for.
  LinearSharing sharing() const override { return LinearSharing::kForm; }
  std::int64_t examples() const override { return 1; }

  std::vector<SettledProduct> settle(KeptProducts* kept) const override {
    Settling settling{.kept = kernel_ == "trial" ? nullptr : kept};
    for (const auto& kernel : kernels_) {
      std::vector<ChosenKernel> chosen;
      for (const std::set<LinearUse>& uses : kernel->uses()) chosen.push_back(settle_one(*kernel, uses, settling));
      kernel->settle(std::move(chosen));
    }
    kernels_.clear();
    return std::move(settling.products);
  }

 private:
  static const LinearCandidate* named(const std::vector<LinearCandidate>& candidates, std::string_view name) {
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const LinearCandidate& candidate) { return candidate.name == name; });
    return found == candidates.end() ? nullptr : &*found;
  }

  // A choice among `candidates` for what products of `weights` are asked for.
  struct OpenChoice {
    const std::vector<LinearCandidate>& candidates;
    const LinearWeights& weights;
    const std::set<LinearUse>& uses;
  };

  // What layers share while they are settled.
  struct Settling {
    const KeptProducts* kept = nullptr;
    std::vector<SettledProduct> products = {};
    std::map<ProductSize, std::size_t> places = {};  // of `products`
    // By weight, bias and place: layers that share weights share a kernel.
    std::map<std::tuple<const void*, const void*, std::size_t>, std::shared_ptr<const LinearKernel>> made = {};
  };

  // The kernel of `layer` for `uses`, chosen with the first layer that has such a product.
  ChosenKernel settle_one(const MeasuredLinear& layer, const std::set<LinearUse>& uses, Settling& settling) const {
    const LinearWeights& weights = layer.weights();
    const std::vector<LinearCandidate> candidates = candidates_of(weights, uses);
    const auto [place, is_new] = settling.places.try_emplace(layer.size_for(uses), settling.products.size());
    if (is_new) settling.products.push_back(fastest({candidates, weights, uses}, place->first, settling.kept));
    SettledProduct& product = settling.products[place->second];
    ++product.layers;
    std::shared_ptr<const LinearKernel>& kernel =
        settling.made[{weights.weight.const_data_ptr(),
                       weights.bias.defined() ? weights.bias.const_data_ptr() : nullptr, place->second}];
    if (kernel == nullptr) kernel = named(candidates, product.choice.kernel)->make(weights);
    return {uses.empty() ? 0 : uses.begin()->rows, kernel};
  }

  std::vector<LinearCandidate> candidates_of(const LinearWeights& weights, const std::set<LinearUse>& uses) const {
    std::vector<LinearCandidate> candidates = candidates_for(uses, fused_, is_bf16(weights), form_);
    return kernel_ == "mkl" && !uses.empty() ? mkl_among(candidates) : candidates;
  }

  SettledProduct fastest(const OpenChoice& open, const ProductSize& size, const KeptProducts* kept) const {
    const std::vector<LinearCandidate>& candidates = open.candidates;
    const std::size_t usual = usual_of(form_);
    SettledProduct product;
    product.choice.size = size;
    product.choice.kernel = candidates.at(candidates.size() == 1 ? 0 : usual).name;
    if (candidates.size() == 1 || open.uses.empty()) return product;
    const ProductChoice* known = kept == nullptr ? nullptr : kept->find(size);
    if (known != nullptr && named(candidates, known->kernel) != nullptr) return {*known, 0, true};
    const ScopedThreadCount scope(size.threads);
    return {try_product(size, trials_of(open), usual, system_meters())};
  }

  static std::vector<KernelCandidate> trials_of(const OpenChoice& open) {
    struct Asked {
      LinearUse use;
      at::Tensor input, residual;
    };
    const LinearWeights& weights = open.weights;
    std::vector<Asked> asked;
    const c10::ScalarType type = weights.weight.scalar_type();
    for (const LinearUse& use : open.uses) {
      asked.push_back({use, trial_operand(use.rows, weights.weight.size(1), type),
                       trial_operand(use.rows, weights.weight.size(0), type)});
    }
    std::vector<KernelCandidate> trials;
    for (const LinearCandidate& candidate : open.candidates) {
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
  std::string kernel_;
  WeightForm form_;
  mutable std::vector<std::shared_ptr<MeasuredLinear>> kernels_;
};

}  // namespace

std::shared_ptr<const LinearFactory> measured_linears(bool fused, const std::string& kernel) {
  return std::make_shared<MeasuredLinears>(fused, kernel, WeightForm::kAny);
}

std::shared_ptr<const LinearFactory> measured_plain_linears(const std::string& kernel) {
  return std::make_shared<MeasuredLinears>(/*fused=*/true, kernel, WeightForm::kPlain);
}

}  // namespace transformeter
