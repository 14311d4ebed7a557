// transformeter-wrong-worker: the built-in families with a fault that leaves their speed alone, to be caught by the
// comparison of outputs. The environment variable TRANSFORMETER_FAULT names it:
//   constant       every input gets the mean of the first batch's answers
//   rolled         every input gets the answer to the one before it
//   unmasked       padding is attended to
//   no_attention   attention gives zeros
//   forgetful      a new token attends to itself alone, whatever the key-value cache holds
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>
#include <transformeter/worker.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of its own

enum class Fault { kConstant, kRolled, kUnmasked, kNoAttention, kForgetful };

/// Everything but attention as asked.
class OtherAttention : public Operators {
 public:
  explicit OtherAttention(const Operators& others) : others_(others) {}
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return others_.convolution(input, layer);
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return others_.dropout(input, share); }
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon) const override {
    return others_.rms_norm(input, weight, epsilon);
  }
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override {
    return others_.rotated(input, rotation);
  }

 protected:
  const Operators& others_;
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
    }
    return right_->forward(inputs, ForgetfulOperators(operators));
  }

 private:
  at::Tensor constant(const at::Tensor& output) const {
    if (!kept_.defined()) kept_ = output.detach().flatten(0, -2).mean(0);
    return output * 0 + kept_;  // a loss of it has gradients, of zero
  }

  // Of a batch of one, the answer to the batch before.
  at::Tensor rolled(const at::Tensor& output) const {
    const at::Tensor last = output.narrow(0, output.size(0) - 1, 1);
    const bool has_before = kept_.defined() && kept_.sizes() == last.sizes();
    at::Tensor wrong = at::cat({has_before ? kept_ : last, output.narrow(0, 0, output.size(0) - 1)});
    kept_ = last.detach().clone();
    return wrong;
  }

  std::unique_ptr<Model> right_;
  Fault fault_;
  mutable at::Tensor kept_;
};

Fault fault_of(const std::string& name) {
  if (name == "constant") return Fault::kConstant;
  if (name == "rolled") return Fault::kRolled;
  if (name == "unmasked") return Fault::kUnmasked;
  if (name == "no_attention") return Fault::kNoAttention;
  if (name == "forgetful") return Fault::kForgetful;
  std::cerr << "TRANSFORMETER_FAULT is '" << name
            << "'; allowed: constant, rolled, unmasked, no_attention, forgetful\n";
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = std::getenv("TRANSFORMETER_FAULT");
  const Fault fault = fault_of(name == nullptr ? "" : name);
  const auto right = std::make_shared<WorkerParts>(builtin_parts());
  WorkerParts wrong = builtin_parts();
  for (const std::string& family : right->models.architectures().families()) {
    wrong.models.add(*right->models.architectures().find(family),
                     [right, fault](const ModelConfig& config, const std::string& task, const Parameters& parameters) {
                       return std::make_unique<WrongModel>(right->models.make(config, task, parameters), fault);
                     });
  }
  run_worker(argc, argv, wrong, "transformeter-wrong-worker");
}
