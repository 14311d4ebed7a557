// Floating point through at::linear and the packed linear layers of oneDNN and MKL, 8-bit integers through at::_int_mm
// and oneDNN's quantised one. What has no stable C++ header is called by its name in the dispatcher.
#include "measure/matrix_products.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "device/devices.h"
#include "device/runtime.h"
#include "engine/one_dnn_linear.h"
#include "engine/widened_linear.h"

namespace transformeter {
namespace {

constexpr const char* kInt8 = "int8";
constexpr const char* kTf32 = "tf32";

std::vector<std::string> common_to(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  std::vector<std::string> common;
  std::copy_if(some.begin(), some.end(), std::back_inserter(common),
               [&](const std::string& one) { return std::find(others.begin(), others.end(), one) != others.end(); });
  return common;
}

at::Tensor call(const char* name, std::vector<c10::IValue> arguments) {
  const c10::OperatorHandle handle = c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
  torch::jit::Stack stack(std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
  handle.callBoxed(stack);
  return stack.front().toTensor();
}

std::function<void()> linear(const ProductShape& shape, const at::TensorOptions& place) {
  const at::Tensor input = at::randn({shape.m, shape.k}, place.dtype(at::kFloat)).to(place);
  const at::Tensor weight = at::randn({shape.n, shape.k}, place.dtype(at::kFloat)).to(place);
  const at::Tensor bias = at::zeros({shape.n}, place);
  return [=] {
    const c10::InferenceMode guard;
    at::linear(input, weight, bias);
  };
}

std::function<void()> linear_prepacked(const ProductShape& shape, c10::ScalarType type) {
  const c10::InferenceMode guard;
  const at::Tensor input = at::randn({shape.m, shape.k}).to(type);
  const at::Tensor weight = one_dnn_packed(at::randn({shape.n, shape.k}).to(type), shape.m);
  const at::Tensor bias = at::zeros({shape.n}, at::TensorOptions(type));
  return [=] {
    const c10::InferenceMode inner;
    one_dnn_linear(input, weight, bias);
  };
}

// What engine `fast` may take for bf16: operands and results are narrow, the product is not.
std::function<void()> linear_widened(const ProductShape& shape, WideProduct product) {
  const c10::InferenceMode guard;
  const at::TensorOptions narrow(c10::ScalarType::BFloat16);
  const at::Tensor input = at::randn({shape.m, shape.k}).to(narrow);
  const auto kernel =
      widened_linear({at::randn({shape.n, shape.k}).to(narrow), at::zeros({shape.n}, narrow)}, product, true);
  return [=] {
    const c10::InferenceMode inner;
    kernel->forward(input);
  };
}

// fp32 only.
std::function<void()> linear_mkl_prepacked(const ProductShape& shape) {
  const c10::InferenceMode guard;
  const at::Tensor input = at::randn({shape.m, shape.k});
  const at::Tensor weight = at::randn({shape.n, shape.k});
  const at::Tensor packed = call("mkl::_mkl_reorder_linear_weight", {weight, shape.m});
  const at::Tensor bias = at::zeros({shape.n});
  return [=] {
    const c10::InferenceMode inner;
    call("mkl::_mkl_linear", {input, packed, weight, bias, shape.m});
  };
}

std::function<void()> int_mm(const ProductShape& shape, const at::TensorOptions& place) {
  const at::Tensor input = at::randint(-127, 127, {shape.m, shape.k}, place);
  const at::Tensor weight = at::randint(-127, 127, {shape.k, shape.n}, place);
  return [=] {
    const c10::InferenceMode guard;
    at::_int_mm(input, weight);
  };
}

// Activations of 8 bits without sign, weights with a scale per channel, outputs in fp32.
std::function<void()> qlinear_prepacked(const ProductShape& shape) {
  const at::Tensor input = at::randint(0, 255, {shape.m, shape.k}, at::kByte);
  const at::Tensor rows = at::randint(-127, 127, {shape.n, shape.k}, at::kChar);
  const at::Tensor weight = call("onednn::qlinear_prepack", {rows, c10::List<std::int64_t>({shape.m, shape.k})});
  const at::Tensor scales = at::ones({shape.n});
  const at::Tensor zeros = at::zeros({shape.n}, at::TensorOptions(at::kLong));
  return [=] {
    const c10::InferenceMode guard;
    call("onednn::qlinear_pointwise",
         {input, 1.0, 0, weight, scales, zeros, c10::IValue(), 1.0, 0, static_cast<std::int64_t>(at::kFloat), "none",
          c10::List<std::optional<at::Scalar>>(), ""});
  };
}

}  // namespace

std::vector<MatrixProduct> cpu_matrix_products(std::string_view precision) {
  if (precision == kTf32)
    throw Error(ErrorKind::kUnsupported, "TF32 is only available on CUDA, for fp32 matrix products");
  if (precision == kInt8) {
    const at::TensorOptions bytes(at::kChar);
    return {{"int_mm", [bytes](const ProductShape& shape) { return int_mm(shape, bytes); }},
            {"qlinear_prepacked", qlinear_prepacked}};
  }
  const c10::ScalarType type = activation_type_of(std::string(precision));
  std::vector<MatrixProduct> products{
      {"linear", [type](const ProductShape& shape) { return linear(shape, at::TensorOptions(type)); }},
      {"linear_prepacked", [type](const ProductShape& shape) { return linear_prepacked(shape, type); }}};
  if (type == c10::ScalarType::Float) products.push_back({"linear_mkl_prepacked", linear_mkl_prepacked});
  if (type == c10::ScalarType::BFloat16) {
    for (const WideProduct product : {WideProduct::kLibTorch, WideProduct::kOneDnn}) {
      products.push_back({std::string(name_of(product)),
                          [product](const ProductShape& shape) { return linear_widened(shape, product); }});
    }
  }
  return products;
}

std::vector<MatrixProduct> gpu_matrix_products(std::string_view precision, c10::Device device) {
  if (precision == kInt8) {
    const at::TensorOptions bytes = at::TensorOptions(at::kChar).device(device);
    return {{"int_mm", [bytes](const ProductShape& shape) { return int_mm(shape, bytes); }}};
  }
  const at::TensorOptions place = at::TensorOptions(activation_type_of(std::string(precision))).device(device);
  return {{"linear", [place](const ProductShape& shape) { return linear(shape, place); }}};
}

std::vector<std::string> product_precisions() {
  return {"fp32", "bf16", "fp16", kInt8};
}

std::vector<std::string> native_product_precisions() {
  return common_to(product_precisions(), native_cpu_precisions());
}

std::vector<std::string> gpu_product_precisions() {
  if (devices_here().native_gpu_precisions.empty()) return {};
  return {"fp32", kTf32, "bf16", "fp16", kInt8};
}

std::vector<std::string> native_gpu_product_precisions() {
  return common_to(gpu_product_precisions(), devices_here().native_gpu_precisions);
}

}  // namespace transformeter
