// A RecordFunction callback for all threads; operator names tell the kernels, their arguments the formats.
#include "engine/kernel_probe.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/observed_product.h"
#include "engine/widened_linear.h"
#include "model/kept_format.h"

namespace transformeter {
namespace {

struct Total {
  std::int64_t count = 0;
  double flops = 0;
};
struct Formats {
  std::string input, weight;
  bool may_stay = false, is_kept = false;

  auto operator<=>(const Formats&) const = default;
};

struct Seen {
  std::set<std::string> operators;
  std::map<Formats, Total> products;
  // By kernel, of products in floating point that are not LibTorch's own.
  std::map<std::string, double> other_flops;
};

// The callbacks are plain functions, so the probe that listens is found here.
std::mutex listener_mutex;
Seen* listener = nullptr;

// Of this thread: products counted so far, and how many operators are open whose insides do not count.
thread_local std::int64_t products_counted = 0;
thread_local int hiding = 0;

struct OpenOperator final : at::ObserverContext {
  std::optional<ObservedProduct> product;
  std::string kernel;  // empty: LibTorch's
  std::int64_t counted_before = products_counted;
  bool hides = false;
};

std::unique_ptr<at::ObserverContext> hiding_operator(std::optional<ObservedProduct> product, std::string kernel = "") {
  auto open = std::make_unique<OpenOperator>();
  open->product = std::move(product);
  open->kernel = std::move(kernel);
  open->hides = true;
  ++hiding;
  return open;
}

std::string kernel_of(const std::string& name, bool is_packed) {
  if (name == "mkl::_mkl_linear") return "mkl_prepacked";
  for (const WideProduct product : {WideProduct::kLibTorch, WideProduct::kOneDnn}) {
    if (name == operator_of(product)) return std::string(name_of(product));
  }
  if (name != "mkldnn::_linear_pointwise") return "";
  return is_packed ? "onednn_prepacked" : "onednn";
}

// Gradients are products of the same weights, in formats that autograd chooses.
std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction& function) {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) return hiding_operator(std::nullopt);
  const std::string name = function.name();
  {
    const std::lock_guard lock(listener_mutex);
    if (listener != nullptr) listener->operators.insert(name);
  }
  if (hiding > 0) return nullptr;
  auto product = product_of(name, function.inputs());
  if (!product) return nullptr;
  if (hides_products(name)) return hiding_operator(std::move(product), kernel_of(name, false));
  auto open = std::make_unique<OpenOperator>();
  open->kernel = kernel_of(name, product->is_packed);
  open->product = std::move(product);
  return open;
}

void count(const ObservedProduct& product, const std::string& kernel, double flops) {
  ++products_counted;
  const bool is_kept = KeptFormat::is_on();
  const bool may_stay =
      is_kept || product.inputs < kSmallestInt8Side || (product.outputs > 0 && product.outputs < kSmallestInt8Side);
  const std::lock_guard lock(listener_mutex);
  if (listener == nullptr) return;
  Total& total = listener->products[{product.input, product.weight, may_stay, is_kept}];
  ++total.count;
  total.flops += flops;
  if (!kernel.empty()) listener->other_flops[kernel] += flops;
}

// An operator that called another product is that product.
void end_operator(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& open = static_cast<const OpenOperator&>(*context);
  if (open.hides) --hiding;
  if (!open.product || products_counted != open.counted_before) return;
  double flops = open.product->flops;
  const std::vector<c10::IValue>& outputs = function.outputs();
  if (flops == 0 && !outputs.empty() && outputs.front().isTensor()) {
    flops = flops_of_output(*open.product, outputs.front().toTensor());
  }
  count(*open.product, open.kernel, flops);
}

bool has_part(const std::set<std::string>& names, const char* part) {
  for (const std::string& name : names) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

struct KernelProbe::Handle {
  Seen seen;
  at::CallbackHandle id = 0;
};

KernelProbe::KernelProbe() : handle_(std::make_unique<Handle>()) {
  {
    const std::lock_guard lock(listener_mutex);
    listener = &handle_->seen;
  }
  at::RecordFunctionCallback callback(&begin_operator, &end_operator);
  callback.scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}).needsInputs(true).needsOutputs(true);
  handle_->id = at::addGlobalCallback(callback);
}

KernelProbe::~KernelProbe() {
  at::removeCallback(handle_->id);
  const std::lock_guard lock(listener_mutex);
  listener = nullptr;
}

const std::set<std::string>& KernelProbe::operators() const {
  return handle_->seen.operators;
}

std::string KernelProbe::attention_kernel() const {
  const std::set<std::string>& seen = operators();
  // Of inputs of several sizes some may be faster by another kernel.
  const bool is_flash = has_part(seen, "_scaled_dot_product_flash_attention");
  if (has_part(seen, "transformeter::tiled_attention")) return is_flash ? "flash and tiled" : "tiled";
  if (is_flash) return "flash";
  if (has_part(seen, "_flash_attention_forward")) return "flash_varlen";  // flash calls it too
  if (has_part(seen, "_scaled_dot_product_efficient_attention")) return "memory_efficient";
  if (has_part(seen, "_scaled_dot_product_cudnn_attention")) return "cudnn";
  if (has_part(seen, "_scaled_dot_product_attention_math")) return "math";
  if (has_part(seen, "transformeter::dropped_attention")) return "fused_dropout";
  if (has_part(seen, "transformeter::widened_attention")) return "fused_widened";
  return has_part(seen, "softmax") ? "eager" : "none";
}

std::string KernelProbe::linear_kernel() const {
  const std::set<std::string>& seen = operators();
  if (has_part(seen, "onednn::qlinear")) return "onednn_int8";
  if (has_part(seen, "aten::_int_mm")) return "int8";
  if (has_part(seen, "aten::_weight_int8pack_mm")) return "int8_weight_only";
  if (has_part(seen, "transformeter::widened_int8_linear")) return "int8_widened";
  std::pair<std::string, double> most{"linear", linear_flops()};
  for (const auto& [kernel, flops] : handle_->seen.other_flops) most.second -= flops;
  for (const auto& [kernel, flops] : handle_->seen.other_flops) {
    if (flops > most.second) most = {kernel, flops};
  }
  return most.second > 0 || has_part(seen, "aten::linear") ? most.first : "none";
}

double KernelProbe::linear_flops() const {
  double flops = 0;
  for (const auto& [formats, total] : handle_->seen.products) flops += total.flops;
  return flops;
}

std::vector<LinearType> KernelProbe::linear_types() const {
  const double all = linear_flops();
  std::vector<LinearType> types;
  for (const auto& [formats, total] : handle_->seen.products) {
    const auto& [input, weight, may_stay, is_kept] = formats;
    types.push_back({input, weight, may_stay, is_kept, total.count, all > 0 ? total.flops / all : 0});
  }
  std::stable_sort(types.begin(), types.end(),
                   [](const LinearType& left, const LinearType& right) { return left.flop_share > right.flop_share; });
  return types;
}

}  // namespace transformeter
