// As torch.utils.checkpoint with use_reentrant, of one tensor.
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

// What the second run needs to be like the first.
struct Circumstances : torch::CustomClassHolder {
  std::function<at::Tensor(const at::Tensor&)> run;
  std::optional<c10::ScalarType> autocast;
  at::Tensor random_state;
};

struct Checkpointed : torch::autograd::Function<Checkpointed> {
  static Variable forward(AutogradContext* context, const Variable& input,
                          const c10::intrusive_ptr<Circumstances>& circumstances) {
    context->save_for_backward({input});
    context->saved_data["circumstances"] = c10::IValue::make_capsule(circumstances);
    return circumstances->run(input);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto capsule = context->saved_data["circumstances"].toCapsule();
    const auto& circumstances = static_cast<const Circumstances&>(*capsule);
    const at::Tensor input = context->get_saved_variables().front().detach().requires_grad_();
    at::Tensor output;
    {
      const at::AutoGradMode gradients_on(true);
      const at::Generator generator = at::globalContext().defaultGenerator(input.device());
      const at::Tensor state_now = random_state(generator);
      set_random_state(generator, circumstances.random_state);
      const Autocast autocast(input.device().type(), circumstances.autocast);
      output = circumstances.run(input);
      set_random_state(generator, state_now);
    }
    output.backward(gradients.front());
    return {input.grad(), Variable()};
  }
};

}  // namespace

at::Tensor checkpointed(const std::function<at::Tensor(const at::Tensor&)>& run, const at::Tensor& input) {
  auto circumstances = c10::make_intrusive<Circumstances>();
  circumstances->run = run;
  circumstances->autocast = autocast_type(input.device().type());
  circumstances->random_state = random_state(at::globalContext().defaultGenerator(input.device()));
  return Checkpointed::apply(input, circumstances);
}

}  // namespace transformeter
