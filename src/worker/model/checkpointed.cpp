// As torch.utils.checkpoint with use_reentrant, of up to two tensors.
#include "model/checkpointed.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>
#include <optional>
#include <utility>

#include "model/autocast.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

at::Tensor random_state(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_random_state(at::Generator generator, const at::Tensor& state) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

// The same values, whose gradient ends here.
at::Tensor with_own_gradient(const at::Tensor& values) {
  return values.defined() ? values.detach().requires_grad_() : values;
}

// What the second run needs to be like the first.
struct Circumstances : torch::CustomClassHolder {
  CheckpointedRun run;
  std::optional<c10::ScalarType> autocast;
  at::Tensor random_state;
};

struct Checkpointed : torch::autograd::Function<Checkpointed> {
  static Variable forward(AutogradContext* context, const Variable& input, const std::optional<at::Tensor>& beside,
                          const c10::intrusive_ptr<Circumstances>& circumstances) {
    context->save_for_backward({input, beside.value_or(at::Tensor())});
    context->saved_data["circumstances"] = c10::IValue::make_capsule(circumstances);
    return circumstances->run(input, beside.value_or(at::Tensor()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto capsule = context->saved_data["circumstances"].toCapsule();
    const auto& circumstances = static_cast<const Circumstances&>(*capsule);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor input = with_own_gradient(saved[0]), beside = with_own_gradient(saved[1]);
    at::Tensor output;
    {
      const at::AutoGradMode gradients_on(true);
      const at::Generator generator = at::globalContext().defaultGenerator(input.device());
      const at::Tensor state_now = random_state(generator);
      set_random_state(generator, circumstances.random_state);
      const Autocast autocast(input.device().type(), circumstances.autocast);
      output = circumstances.run(input, beside);
      set_random_state(generator, state_now);
    }
    output.backward(gradients.front());
    return {input.grad(), beside.defined() ? beside.grad() : Variable(), Variable()};
  }
};

}  // namespace

at::Tensor checkpointed(const CheckpointedRun& run, const at::Tensor& input, const at::Tensor& beside) {
  auto circumstances = c10::make_intrusive<Circumstances>();
  circumstances->run = run;
  circumstances->autocast = autocast_type(input.device().type());
  circumstances->random_state = random_state(at::globalContext().defaultGenerator(input.device()));
  // Of weights alone autograd would not know: it goes back only through an input that has a gradient.
  const bool is_hidden = at::GradMode::is_enabled() && !input.requires_grad();
  const at::Tensor seen = is_hidden ? with_own_gradient(input) : input;
  return Checkpointed::apply(seen, beside.defined() ? std::optional(beside) : std::nullopt, circumstances);
}

}  // namespace transformeter
