// Keeping weights by name, and drawing them at random.
#include "model/parameters.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "model/adapted_linear.h"
#include "model/named_linear.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

// Values are drawn in blocks, each with a stream of its own, so that threads can share the work and the weights do not
// depend on how many there are.
constexpr std::int64_t kBlock = 1 << 16;

// Box-Muller on two 24-bit uniforms from one draw: both normals of the pair are used.
void fill_block(float* values, std::int64_t count, double deviation, RandomStream random) {
  constexpr float kTwoPi = 6.2831853071795864769F;
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::uint64_t bits = random.next();
    const float u = (static_cast<float>(bits >> 40) + 0.5F) * 0x1.0p-24F;
    const float angle = kTwoPi * (static_cast<float>(bits & 0xFFFFFF) * 0x1.0p-24F);
    const float radius = static_cast<float>(deviation) * std::sqrt(-2.0F * std::log(u));
    values[i] = radius * std::cos(angle);
    if (i + 1 < count) values[i + 1] = radius * std::sin(angle);
  }
}

void fill_normal(at::Tensor& tensor, double deviation, std::uint64_t seed) {
  float* values = tensor.data_ptr<float>();
  const std::int64_t count = tensor.numel();
  at::parallel_for(0, (count + kBlock - 1) / kBlock, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      RandomStream seeds(seed + static_cast<std::uint64_t>(block));
      const std::int64_t offset = block * kBlock;
      fill_block(values + offset, std::min(kBlock, count - offset), deviation, RandomStream(seeds.next()));
    }
  });
}

double own_deviation(const TensorSpec& spec) {
  std::int64_t fan_in = spec.fan_in;
  if (fan_in == 0 && !spec.shape.empty()) {
    fan_in = std::accumulate(spec.shape.begin() + 1, spec.shape.end(), std::int64_t{1}, std::multiplies<>());
  }
  return spec.gain / std::sqrt(static_cast<double>(std::max<std::int64_t>(fan_in, 1)));
}

constexpr double kLogitScale = 2.6592;  // logit_scale_init_value of Transformers' CLIPConfig

at::Tensor seeded_tensor(const TensorSpec& spec, std::optional<double> deviation, std::uint64_t seed) {
  switch (spec.init) {
    case Initialization::kZeros:
      return at::zeros(spec.shape, at::kFloat);
    case Initialization::kOnes:
      return at::ones(spec.shape, at::kFloat);
    case Initialization::kLogitScale:
      return at::full(spec.shape, kLogitScale, at::kFloat);
    case Initialization::kNormal:
      break;
  }
  at::Tensor tensor = at::empty(spec.shape, at::kFloat);
  fill_normal(tensor, deviation.value_or(own_deviation(spec)), derive_seed(seed, "weights/" + spec.name));
  return tensor;
}

}  // namespace

void Parameters::add(const std::string& name, at::Tensor value) {
  tensors_[name] = std::move(value);
}

void Parameters::add_seeded(const std::vector<TensorSpec>& tensors, std::optional<double> deviation, std::uint64_t seed,
                            c10::ScalarType type) {
  for (const TensorSpec& tensor : tensors) add(tensor.name, seeded_tensor(tensor, deviation, seed).to(type));
}

void Parameters::move_to(c10::Device device) {
  for (auto& [name, tensor] : tensors_) tensor = tensor.to(device);
}

const at::Tensor& Parameters::at(const std::string& name) const {
  direct_.insert(name);
  return find(name);
}

const at::Tensor& Parameters::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("the model uses a parameter '{}' that its inventory lacks", name));
  }
  return found->second;
}

LinearWeights Parameters::weights_of(const LinearSpec& spec) const {
  const auto own_rows = [&](const at::Tensor& stored) {
    return spec.is_part() ? stored.narrow(0, spec.first_row, spec.out) : stored;
  };
  const at::Tensor& weight = find(spec.weight);
  // A transposed view: the matrix product takes any strides.
  return {spec.layout == WeightLayout::kInOut ? weight.t() : own_rows(weight),
          spec.bias.empty() ? at::Tensor() : own_rows(find(spec.bias))};
}

std::shared_ptr<const LinearKernel> Parameters::make(const LinearWeights& weights,
                                                     const std::vector<LinearSpec>& specs) const {
  const Names names = names_of(specs);
  if (auto shared = shared_kernel(names)) return shared;
  std::shared_ptr<const LinearKernel> kernel = adapted(specs.front().weight, factory_->make(weights));
  const bool has_form = rearrangers_.count(names) != 0 && factory_->sharing() == LinearSharing::kForm;
  if (!has_form) rearranged_bytes_ += kernel->own_bytes();
  const LinearForm form = kernel->form();
  forms_[{form.precision, form.prepacked}] += weights.weight.numel();
  for (const LinearSpec& spec : specs) {
    (kernel->own_bytes() > 0 ? rearranged_ : direct_).insert(spec.weight);
    if (!spec.bias.empty()) direct_.insert(spec.bias);
  }
  std::vector<std::string> modules;
  for (const LinearSpec& spec : specs) modules.push_back(module_of(spec.weight));
  const bool is_rearranged = kernel->own_bytes() > 0 || specs.size() > 1;
  std::shared_ptr<const LinearKernel> named = named_linear(joined_module(modules), std::move(kernel));
  if (is_rearranged) rearrangers_.emplace(names, named);
  return named;
}

std::shared_ptr<const LinearKernel> Parameters::adapted(const std::string& weight,
                                                        std::shared_ptr<const LinearKernel> kernel) const {
  const auto found = adapters_.find(weight);
  if (found == adapters_.end()) return kernel;
  const AdapterNames& names = found->second;
  const auto part = [&](const std::string& name) {
    return named_linear(module_of(name), factory_->make({at(name), at::Tensor()}));
  };
  return adapted_linear(std::move(kernel), {part(names.lora_a), part(names.lora_b), names.scale});
}

Parameters::Names Parameters::names_of(const std::vector<LinearSpec>& specs) {
  Names names;
  for (const LinearSpec& spec : specs) names.insert(names.end(), {spec.key(), spec.bias});
  return names;
}

std::shared_ptr<const LinearKernel> Parameters::shared_kernel(const Names& names) const {
  const auto first = rearrangers_.find(names);
  const bool is_shared = first != rearrangers_.end() && factory_->sharing() == LinearSharing::kKernel;
  return is_shared ? first->second : nullptr;
}

LinearWeights Parameters::joined(const std::vector<LinearSpec>& specs) const {
  const Names names = names_of(specs);
  if (const auto found = joined_.find(names); found != joined_.end()) return found->second;
  std::vector<at::Tensor> weights, biases;
  for (const LinearSpec& spec : specs) {
    LinearWeights one = weights_of(spec);
    weights.push_back(std::move(one.weight));
    if (one.bias.defined()) biases.push_back(std::move(one.bias));
  }
  // All have a bias or none has.
  LinearWeights both{at::cat(weights), biases.empty() ? at::Tensor() : at::cat(biases)};
  if (factory_->sharing() == LinearSharing::kForm) joined_.emplace(names, both);
  return both;
}

void Parameters::release() {
  tensors_.clear();
  joined_.clear();
  rearrangers_.clear();
}

LinearForm Parameters::form() const {
  const auto most = std::max_element(forms_.begin(), forms_.end(),
                                     [](const auto& left, const auto& right) { return left.second < right.second; });
  return most == forms_.end() ? LinearForm{} : LinearForm{most->first.first, most->first.second};
}

std::shared_ptr<const LinearKernel> Parameters::linear(const LinearSpec& spec) const {
  return make(weights_of(spec), {spec});
}

std::vector<std::shared_ptr<const LinearKernel>> Parameters::linears(const std::vector<LinearSpec>& specs) const {
  if (factory_->joins_products() && specs.size() > 1) {
    auto shared = shared_kernel(names_of(specs));
    return {shared != nullptr ? shared : make(joined(specs), specs)};
  }
  std::vector<std::shared_ptr<const LinearKernel>> kernels;
  for (const LinearSpec& spec : specs) kernels.push_back(linear(spec));
  return kernels;
}

Convolution Parameters::convolution(const LinearSpec& spec) const {
  if (!factory_->allows_convolutions()) {
    throw Error(ErrorKind::kUnsupported,
                "int8 is not supported for models with convolution layers; use fp32, bf16 or fp16");
  }
  return {at(spec.weight), spec.bias.empty() ? at::Tensor() : at(spec.bias), spec.groups, module_of(spec.weight)};
}

c10::Device Parameters::device() const {
  if (tensors_.empty()) throw Error(ErrorKind::kInternal, "a model without parameters lies on no device");
  return tensors_.begin()->second.device();
}

std::int64_t Parameters::count() const {
  std::int64_t total = 0;
  for (const auto& [name, tensor] : tensors_) total += tensor.numel();
  return total;
}

std::int64_t Parameters::bytes() const {
  std::int64_t total = 0;
  for (const auto& [name, tensor] : tensors_) {
    const bool is_kept = rearranged_.count(name) == 0 || direct_.count(name) != 0;
    if (is_kept) total += static_cast<std::int64_t>(tensor.nbytes());
  }
  return total + rearranged_bytes_;
}

Parameters seeded_parameters(const std::vector<TensorSpec>& inventory, std::optional<double> deviation,
                             std::uint64_t seed, c10::ScalarType type) {
  Parameters parameters;
  parameters.add_seeded(inventory, deviation, seed, type);
  return parameters;
}

std::optional<c10::ScalarType> scalar_type_of(const std::string& dtype) {
  if (dtype == "F32") return c10::ScalarType::Float;
  if (dtype == "F64") return c10::ScalarType::Double;
  if (dtype == "F16") return c10::ScalarType::Half;
  if (dtype == "BF16") return c10::ScalarType::BFloat16;
  return std::nullopt;
}

namespace {

c10::ScalarType stored_type(const SafetensorsEntry& entry, const std::string& name) {
  if (const auto type = scalar_type_of(entry.dtype)) return *type;
  throw Error(ErrorKind::kBadInput,
              fmt::format("tensor '{}' has dtype {}, which is not supported for weights", name, entry.dtype));
}

}  // namespace

Parameters mapped_parameters(Checkpoint checkpoint, const CheckpointMatch& match, c10::ScalarType type) {
  const auto files = std::make_shared<const std::vector<WeightsFile>>(std::move(checkpoint.files));
  Parameters parameters;
  for (const MatchedTensor& tensor : match.tensors) {
    const c10::ScalarType stored = stored_type(tensor.entry, tensor.file_name);
    // The mapping is read-only and nothing writes to a weight in inference; from_blob only lacks a const form.
    void* bytes = const_cast<char*>(files->at(tensor.entry.file).mapping.bytes().data() + tensor.entry.begin);
    parameters.add(tensor.parameter.name, at::from_blob(bytes, tensor.entry.shape, at::TensorOptions(stored)).to(type));
  }
  parameters.keep(files);
  return parameters;
}

Parameters checkpoint_parameters(Checkpoint checkpoint, Task task, c10::ScalarType type) {
  const CheckpointMatch match = match_checkpoint(checkpoint, task);
  return mapped_parameters(std::move(checkpoint), match, type);
}

}  // namespace transformeter
