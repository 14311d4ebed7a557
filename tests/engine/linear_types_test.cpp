// The number formats that a probe reads off the operators of each form of products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/quantize_per_tensor.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>

#include "device/runtime.h"
#include "engine/capabilities.h"
#include "engine/kernel_probe.h"
#include "engine/linear_factories.h"
#include "engine/operators.h"
#include "engine/trained_linear.h"
#include "engine/training_operators.h"
#include "model/autocast.h"
#include "model/kept_format.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// "uint8 × int8": the only formats that were seen, once.
std::string formats_of(const KernelProbe& probe) {
  std::string text;
  for (const LinearType& type : probe.linear_types()) {
    text += (text.empty() ? "" : ", ") + type.input + " × " + type.weight + (type.may_stay ? " small" : "");
    if (type.count != 1) text += " " + std::to_string(type.count) + " times";
  }
  return text;
}

struct Form {
  LinearOptions options;
  const char* formats;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {{"fp32", false, false}, "fp32 × fp32"},       {{"fp32", false, true}, "fp32 × fp32"},
      {{"fp32", true, true}, "fp32 × fp32"},         {{"fp32", true, true, true}, "fp32 × fp32"},
      {{"bf16", false, false}, "bf16 × bf16"},       {{"bf16", true, true}, "bf16 × bf16"},
      {{"fp16", false, false}, "fp16 × fp16"},       {{"int8", false, true}, "int8 × int8"},
      {{"int8", true, true}, "uint8 × int8"},        {{"int8_static", true, false}, "uint8 × int8"},
      {{"int8_static", true, true}, "uint8 × int8"}, {{"int8_weight_only", false, false}, "bf16 × int8"}};
  return kForms;
}

bool can_run(const LinearOptions& options) {
  return !options.prepacked ||
         !inference_capabilities().why_not_together({{"precision", options.precision}, {"weights", "prepacked"}});
}

TEST(LinearTypes, AreThoseOfEachForm) {
  constexpr std::int64_t kInputs = 64, kOutputs = 48;
  for (const Form& form : forms()) {
    if (!can_run(form.options)) continue;
    const c10::ScalarType type = activation_type_of(form.options.precision);
    for (const std::int64_t rows : {3, 40}) {  // few and many: int8_weight_only computes them in two ways
      SCOPED_TRACE(form.options.precision + " " + std::to_string(rows) + (form.options.prepacked ? " prepacked" : "") +
                   (form.options.fused ? " fused" : ""));
      const auto factory = make_linears(form.options);
      const auto kernel = factory->make({at::randn({kOutputs, kInputs}).to(type), at::randn({kOutputs}).to(type)});
      const at::Tensor input = at::randn({rows, kInputs}).to(type);
      const at::Tensor residual = at::randn({rows, kOutputs}).to(type);
      if (const auto* observing = dynamic_cast<const ObservingLinears*>(factory.get())) {
        kernel->forward(input);
        observing->settle(nullptr);
      }
      for (int call = 0; call < 3; ++call) {
        const KernelProbe probe;
        if (call == 0) kernel->forward(input);
        if (call == 1) kernel->activated(input, Activation::kGelu);
        if (call == 2) kernel->added(input, residual);
        EXPECT_EQ(formats_of(probe), form.formats) << "call " << call;
        EXPECT_EQ(probe.linear_flops(), 2.0 * kInputs * kOutputs * static_cast<double>(rows));
      }
    }
  }
}

TEST(LinearKernel, IsTheOneThatMostOperationsRanOn) {
  const c10::InferenceMode guard;
  const at::Tensor input = at::randn({10, 64});
  const LinearWeights large{at::randn({64, 64}), {}};
  const LinearWeights small{at::randn({16, 64}), {}};
  const auto kernel_of = [&](const LinearKernel& most, const LinearKernel& least) {
    const KernelProbe probe;
    least.forward(input);
    most.forward(input);
    return probe.linear_kernel();
  };
  const auto plain = plain_linears(), packed = prepacked_linears(false);
  EXPECT_EQ(kernel_of(*packed->make(large), *plain->make(small)), "onednn_prepacked");
  EXPECT_EQ(kernel_of(*plain->make(large), *packed->make(small)), "linear");
  if (!at::hasMKL()) return;
  EXPECT_EQ(kernel_of(*packed->make(large), *mkl_linear(small, 10, false)), "onednn_prepacked");
  EXPECT_EQ(kernel_of(*mkl_linear(large, 10, false), *packed->make(small)), "mkl_prepacked");
  EXPECT_EQ(KernelProbe().linear_kernel(), "none");
}

TEST(LinearTypes, OfProductsWithFewSidesAreKeptApart) {
  const KernelProbe probe;
  at::linear(at::randn({5, 64}), at::randn({2, 64}));
  at::linear(at::randn({5, 8}), at::randn({64, 8}));
  at::linear(at::randn({5, 16}), at::randn({16, 16}));
  const std::vector<LinearType> types = probe.linear_types();
  ASSERT_EQ(types.size(), 2U);
  EXPECT_TRUE(types[0].may_stay);
  EXPECT_EQ(types[0].count, 2);
  EXPECT_FALSE(types[1].may_stay);
  EXPECT_DOUBLE_EQ(types[1].flop_share, 256.0 / (128 + 512 + 256));
}

// A small product is one that the precision could change, had it more sides.
TEST(LinearTypes, TellThoseOfEmbeddingsFromSmallOnes) {
  const KernelProbe probe;
  at::linear(at::randn({5, 64}), at::randn({2, 64}));
  {
    const KeptFormat kept;
    at::linear(at::randn({5, 64}), at::randn({64, 64}));
  }
  const std::vector<LinearType> types = probe.linear_types();
  ASSERT_EQ(types.size(), 2U);
  EXPECT_TRUE(types[0].may_stay && types[0].is_kept);
  EXPECT_TRUE(types[1].may_stay && !types[1].is_kept);
  const auto read = Json(types[0]).get<LinearType>();
  EXPECT_TRUE(read.may_stay && read.is_kept);
}

TEST(LinearTypes, LeaveOutTheProductsOfAttention) {
  AttentionInputs inputs;
  inputs.query = inputs.key = inputs.value = at::randn({2, 4, 8, 16});
  for (const std::string& attention : attention_names()) {
    const KernelProbe probe;
    make_operators(attention)->attention(inputs);
    EXPECT_THAT(probe.linear_types(), IsEmpty()) << attention;
  }
}

TEST(LinearTypes, LeaveOutTheProductsOfOurOwnAttentionOnEveryThread) {
  at::set_num_threads(2);
  AttentionInputs inputs;
  inputs.query = inputs.key = inputs.value = at::randn({2, 4, 8, 16}).set_requires_grad(true);
  inputs.dropout = 0.1;
  const KernelProbe probe;
  make_training_operators({.fused = true})->attention(inputs).sum().backward();
  EXPECT_EQ(probe.attention_kernel(), "fused_dropout");
  EXPECT_THAT(probe.linear_types(), IsEmpty());
}

TEST(LinearTypes, OfAutocastAreThoseOfTheProductItself) {
  const at::Tensor weight = at::randn({32, 32});
  const Autocast autocast(at::kCPU, at::kBFloat16);
  const KernelProbe probe;
  at::linear(at::randn({4, 32}), weight);
  EXPECT_EQ(formats_of(probe), "bf16 × bf16");
}

TEST(LinearTypes, OfWidenedProductsAreThoseOfTheirValues) {
  const auto kernel =
      TrainedLinears(TrainingKernels::of(at::kBFloat16, false)).make({at::randn({32, 32}), at::Tensor()});
  const Autocast autocast(at::kCPU, at::kBFloat16);
  const KernelProbe probe;
  kernel->forward(at::randn({4, 32}));
  EXPECT_EQ(formats_of(probe), "bf16 × bf16");
}

TEST(LinearTypes, LeaveOutGradients) {
  const at::Tensor weight = at::randn({32, 32}).set_requires_grad(true);
  const KernelProbe probe;
  at::linear(at::randn({4, 32}), weight).sum().backward();
  EXPECT_TRUE(weight.grad().defined());
  EXPECT_EQ(formats_of(probe), "fp32 × fp32");
}

// As a quantized TorchScript file computes them.
TEST(LinearTypes, OfWeightsThatAnOperatorHidesAreSaidToBePacked) {
  const auto call = [](const char* name, std::vector<c10::IValue> arguments) {
    c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(&arguments);
    return arguments.front();
  };
  const at::Tensor weight = at::quantize_per_tensor(at::randn({48, 64}), 0.1, 0, c10::ScalarType::QInt8);
  const c10::IValue packed = call("quantized::linear_prepack", {weight, c10::IValue()});
  const KernelProbe probe;
  call("quantized::linear_dynamic", {at::randn({3, 64}), packed, true});
  EXPECT_EQ(formats_of(probe), "fp32 × packed");
  EXPECT_EQ(probe.linear_flops(), 2.0 * 3 * 48 * 64);
}

TEST(LinearTypes, AreSeenOnEveryThread) {
  at::set_num_threads(2);
  const KernelProbe probe;
  at::parallel_for(0, 2, 1, [](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) at::linear(at::randn({4, 32}), at::randn({32, 32}));
  });
  EXPECT_EQ(formats_of(probe), "fp32 × fp32 2 times");
}

}  // namespace
}  // namespace transformeter
