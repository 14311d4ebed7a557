// transformeter-wrong-worker: the built-in families with a fault, to be caught by the comparison of outputs or by what
// was seen to run. The environment variable TRANSFORMETER_FAULT names it:
//   constant             every input gets the mean of the first batch's answers
//   rolled               every input gets the answer to the one before it
//   unmasked             padding is attended to
//   no_attention         attention gives zeros
//   forgetful            a new token attends to itself alone, whatever the key-value cache holds
//   fp32_products        products with weights in fp32, whatever form the engine claims for them
//   some_fp32_products   only each sixth of them
//   slowed               right answers, but every pass takes TRANSFORMETER_LONGER (a share, e.g. 0.05) longer: for
//                        comparisons of times
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros_like.h>
#include <transformeter/worker.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace {

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of its own

enum class Fault { kConstant, kRolled, kUnmasked, kNoAttention, kForgetful, kFp32Products, kSomeFp32Products, kSlowed };

bool is_of_products(Fault fault) {
  return fault == Fault::kFp32Products || fault == Fault::kSomeFp32Products;
}

/// Everything but attention as asked.
class OtherAttention : public Operators {
 public:
  explicit OtherAttention(const Operators& others) : others_(others) {}
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return others_.convolution(input, layer);
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return others_.dropout(input, share); }
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) const override {
    return others_.rms_norm(input, weight, epsilon, offset);
  }
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override {
    return others_.rotated(input, rotation);
  }

 protected:
  const Operators& others_;
};

/// Claims the form of another kernel.
class Fp32Linear final : public LinearKernel {
 public:
  Fp32Linear(const LinearWeights& weights, std::shared_ptr<const LinearKernel> claimed)
      : claimed_(std::move(claimed)), weight_(weights.weight.to(at::kFloat)) {
    if (weights.bias.defined()) bias_ = weights.bias.to(at::kFloat);
  }
  at::Tensor forward(const at::Tensor& input) const override {
    // It is only settled once it has seen inputs.
    if (form().precision == "int8_static") std::call_once(once_, [&] { claimed_->forward(input); });
    return at::linear(input.to(at::kFloat), weight_, bias_).to(input.scalar_type());
  }
  std::int64_t own_bytes() const override { return claimed_->own_bytes(); }
  LinearForm form() const override { return claimed_->form(); }

 private:
  std::shared_ptr<const LinearKernel> claimed_;
  at::Tensor weight_, bias_;
  mutable std::once_flag once_;
};

class Fp32Linears final : public LinearFactory {
 public:
  Fp32Linears(std::shared_ptr<const LinearFactory> claimed, int each) : claimed_(std::move(claimed)), each_(each) {}
  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    auto claimed = claimed_->make(weights);
    if (made_++ % each_ != 0) return claimed;
    return std::make_shared<Fp32Linear>(weights, std::move(claimed));
  }
  bool allows_convolutions() const override { return claimed_->allows_convolutions(); }
  bool joins_products() const override { return claimed_->joins_products(); }

 private:
  std::shared_ptr<const LinearFactory> claimed_;
  int each_;
  mutable int made_ = 0;
};

class BlindOperators final : public OtherAttention {
 public:
  using OtherAttention::OtherAttention;
  at::Tensor attention(const AttentionInputs& inputs) const override { return at::zeros_like(inputs.query); }
  bool takes_packed_rows() const override { return true; }
  at::Tensor packed_attention(const PackedAttentionInputs& inputs) const override {
    return at::zeros_like(inputs.query);
  }
};

class ForgetfulOperators final : public OtherAttention {
 public:
  using OtherAttention::OtherAttention;
  at::Tensor attention(const AttentionInputs& inputs) const override {
    if (inputs.query.size(2) > 1) return others_.attention(inputs);
    AttentionInputs last = inputs;
    last.key = inputs.key.slice(2, -1);
    last.value = inputs.value.slice(2, -1);
    if (last.mask.defined()) last.mask = last.mask.slice(-1, -1);
    return others_.attention(last);
  }
};

class WrongModel final : public Model {
 public:
  WrongModel(std::unique_ptr<Model> right, Fault fault) : right_(std::move(right)), fault_(fault) {}

  bool takes_packed_rows() const override {  // the others know rows of a batch alone
    return is_of_products(fault_) || (fault_ == Fault::kSlowed && right_->takes_packed_rows());
  }
  bool leaves_out_tokens() const override { return right_->leaves_out_tokens(); }
  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    switch (fault_) {
      case Fault::kConstant:
        return constant(right_->forward(inputs, operators));
      case Fault::kRolled:
        return rolled(right_->forward(inputs, operators));
      case Fault::kUnmasked: {
        ModelInputs unmasked = inputs;
        unmasked.attention_mask = at::Tensor();
        return right_->forward(unmasked, operators);
      }
      case Fault::kNoAttention:
        return right_->forward(inputs, BlindOperators(operators));
      case Fault::kForgetful:
        break;
      case Fault::kFp32Products:
      case Fault::kSomeFp32Products:
        return right_->forward(inputs, operators);
      case Fault::kSlowed:
        return slowed(inputs, operators);
    }
    return right_->forward(inputs, ForgetfulOperators(operators));
  }

 private:
  at::Tensor constant(const at::Tensor& output) const {
    if (!kept_.defined()) kept_ = output.detach().flatten(0, -2).mean(0);
    return output * 0 + kept_;  // a loss of it has gradients, of zero
  }

  at::Tensor slowed(const ModelInputs& inputs, const Operators& operators) const {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    at::Tensor output = right_->forward(inputs, operators);
    const auto end = start + std::chrono::duration_cast<Clock::duration>((Clock::now() - start) * (1 + longer_));
    while (Clock::now() < end) {
    }
    return output;
  }

  // Of a batch of one, the answer to the batch before.
  at::Tensor rolled(const at::Tensor& output) const {
    const at::Tensor last = output.narrow(0, output.size(0) - 1, 1);
    const bool has_before = kept_.defined() && kept_.sizes() == last.sizes();
    at::Tensor wrong = at::cat({has_before ? kept_ : last, output.narrow(0, 0, output.size(0) - 1)});
    kept_ = last.detach().clone();
    return wrong;
  }

  static double longer() {
    const char* share = std::getenv("TRANSFORMETER_LONGER");
    return share == nullptr ? 0 : std::atof(share);
  }

  std::unique_ptr<Model> right_;
  Fault fault_;
  double longer_ = longer();
  mutable at::Tensor kept_;
};

Fault fault_of(const std::string& name) {
  if (name == "constant") return Fault::kConstant;
  if (name == "rolled") return Fault::kRolled;
  if (name == "unmasked") return Fault::kUnmasked;
  if (name == "no_attention") return Fault::kNoAttention;
  if (name == "forgetful") return Fault::kForgetful;
  if (name == "fp32_products") return Fault::kFp32Products;
  if (name == "some_fp32_products") return Fault::kSomeFp32Products;
  if (name == "slowed") return Fault::kSlowed;
  std::cerr << "TRANSFORMETER_FAULT is '" << name
            << "'; allowed: constant, rolled, unmasked, no_attention, forgetful, fp32_products, some_fp32_products, "
               "slowed\n";
  std::exit(3);
}

// The worker's parameters note the forms of the kernels that are made from them, so that no copy will do.
void exchange_products(const Parameters& parameters, Fault fault) {
  constexpr int kSome = 6;
  if (!is_of_products(fault)) return;
  const_cast<Parameters&>(parameters)  // NOLINT(cppcoreguidelines-pro-type-const-cast): no interface lets one cheat
      .use_linears(
          std::make_shared<Fp32Linears>(parameters.linear_factory(), fault == Fault::kFp32Products ? 1 : kSome));
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = std::getenv("TRANSFORMETER_FAULT");
  const Fault fault = fault_of(name == nullptr ? "" : name);
  const auto right = std::make_shared<WorkerParts>(builtin_parts());
  WorkerParts wrong = builtin_parts();
  for (const std::string& family : right->models.architectures().families()) {
    wrong.models.add(*right->models.architectures().find(family),
                     [right, fault](const ModelConfig& config, Task task, const Parameters& parameters) {
                       exchange_products(parameters, fault);
                       return std::make_unique<WrongModel>(right->models.make(config, task, parameters), fault);
                     });
  }
  run_worker(argc, argv, wrong, "transformeter-wrong-worker");
}
