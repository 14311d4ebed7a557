// A model's weights by checkpoint name, from a safetensors file or from seeded random numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/linear.h"
#include "model/operators.h"
#include "spec/blueprint.h"
#include "spec/checkpoint.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

/// Of a frozen matrix: names of the tensors A [rank, in] and B [out, rank], and what their product is scaled by.
struct AdapterNames {
  std::string lora_a, lora_b;
  double scale = 1;
};

class Parameters {
 public:
  void add(const std::string& name, at::Tensor value);
  /// Drawn as seeded_parameters draws them.
  void add_seeded(const std::vector<TensorSpec>& tensors, std::optional<double> deviation, std::uint64_t seed,
                  c10::ScalarType type);
  /// Products with this weight are adapted from now on, by kernels of the same factory, which must not join products.
  void adapt(const std::string& weight, AdapterNames names) { adapters_[weight] = std::move(names); }
  /// Throws Error(kInternal) for a name outside the inventory.
  const at::Tensor& at(const std::string& name) const;
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  /// Made by the factory of use_linears, at first LibTorch's plain linear.
  std::shared_ptr<const LinearKernel> linear(const LinearSpec& spec) const;
  /// Products of one input; a single one with the outputs side by side where the factory joins them.
  std::vector<std::shared_ptr<const LinearKernel>> linears(const std::vector<LinearSpec>& specs) const;
  /// Those of a product as they are, for what runs it in a way of its own.
  LinearWeights weights_of(const LinearSpec& spec) const;
  /// Throws Error(kUnsupported) where the factory allows none.
  Convolution convolution(const LinearSpec& spec) const;

  /// Copies every tensor that is not there yet.
  void move_to(c10::Device device);
  void use_linears(std::shared_ptr<const LinearFactory> factory) { factory_ = std::move(factory); }
  const std::shared_ptr<const LinearFactory>& linear_factory() const { return factory_; }
  /// Forgets the tensors, once a model is made: it keeps those that it uses as they are.
  void release();

  /// Of its tensors. Throws Error(kInternal) where there are none.
  c10::Device device() const;
  /// Elements.
  std::int64_t count() const;
  /// As they run: of a weight that a kernel keeps in a form of its own, that form.
  std::int64_t bytes() const;
  /// The form that holds most of the elements of products with weights; of none, the default's.
  LinearForm form() const;
  /// Tensors stay valid as long as the files are mapped.
  void keep(std::shared_ptr<const std::vector<WeightsFile>> files) { files_ = std::move(files); }

 private:
  const at::Tensor& find(const std::string& name) const;
  using Names = std::vector<std::string>;
  static Names names_of(const std::vector<LinearSpec>& specs);
  /// Null: none was made, or none serves several layers.
  std::shared_ptr<const LinearKernel> shared_kernel(const Names& names) const;
  /// Weights side by side.
  LinearWeights joined(const std::vector<LinearSpec>& specs) const;
  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights, const std::vector<LinearSpec>& specs) const;
  /// The kernel with the adapter of the weight, if it has one.
  std::shared_ptr<const LinearKernel> adapted(const std::string& weight,
                                              std::shared_ptr<const LinearKernel> kernel) const;

  std::map<std::string, at::Tensor> tensors_;
  std::map<std::string, AdapterNames> adapters_;  // by weight
  std::shared_ptr<const LinearFactory> factory_ = plain_linears();
  mutable std::set<std::string> direct_, rearranged_;  // names of tensors used as they are, and in a kernel's own form
  mutable std::int64_t rearranged_bytes_ = 0;
  mutable std::map<Names, LinearWeights> joined_;                             // of which layers share one form
  mutable std::map<Names, std::shared_ptr<const LinearKernel>> rearrangers_;  // first kernels with a form of their own
  mutable std::map<std::pair<std::string, bool>, std::int64_t> forms_;        // elements by precision and prepacked
  std::shared_ptr<const std::vector<WeightsFile>> files_;
};

/// Random weights: each tensor has its own stream derived from `seed` and its name, so its values do not depend on
/// which other tensors a task has. Drawn in fp32 with that standard deviation, then cast to `type`. Without one each
/// weight has its gain ÷ √fan_in: 1 preserves the activations' scale, so that answers differ between inputs by more
/// than rounding changes them, and queries have more, so that this holds for long inputs. A configuration's
/// initializer_range, usually 0.02, suits training, but gives nearly the same answer for every input.
Parameters seeded_parameters(const std::vector<TensorSpec>& inventory, std::optional<double> deviation,
                             std::uint64_t seed, c10::ScalarType type);

/// Of a dtype of safetensors; nothing for one that weights cannot have.
std::optional<c10::ScalarType> scalar_type_of(const std::string& dtype);

/// The weights of `task` from a checkpoint's mapped files, which live as long as the parameters. A tensor stored in
/// `type` is used where it lies, without a copy (measured: docs/decisions.md); others are converted. Throws what
/// match_checkpoint throws.
Parameters checkpoint_parameters(Checkpoint checkpoint, Task task, c10::ScalarType type);
/// Those that were matched.
Parameters mapped_parameters(Checkpoint checkpoint, const CheckpointMatch& match, c10::ScalarType type);

}  // namespace transformeter
