// Summed in the originals' order: words, token types, positions.
#include "model/embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/scalar_tensor.h>

#include "model/profile_scope.h"

namespace transformeter {
namespace {

at::Tensor looked_up(const std::string& module, const at::Tensor& table, const at::Tensor& rows,
                     std::int64_t padding_row = -1) {
  const ModuleScope scope(module);
  return at::embedding(table, rows, padding_row);
}

}  // namespace

std::string embedding_module(const EmbeddingSpec& spec) {
  return common_module({module_of(spec.words), module_of(spec.types), module_of(spec.positions)});
}

Embedding::Embedding(const EmbeddingSpec& spec, const Parameters& parameters)
    : words_(parameters.at(spec.words)),
      position_offset_(spec.position_offset),
      padding_row_(spec.padding_row.value_or(-1)),
      scale_(spec.scale),
      project_before_positions_(spec.project_before_positions) {
  if (!spec.types.empty()) types_ = parameters.at(spec.types);
  if (!spec.positions.empty()) positions_ = parameters.at(spec.positions);
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
  if (spec.projection) projection_ = parameters.linear(*spec.projection);
  module_ = embedding_module(spec);
  words_module_ = module_of(spec.words);
  types_module_ = module_of(spec.types);
  positions_module_ = module_of(spec.positions);
}

at::Tensor Embedding::forward(const Inputs& inputs, const Operators& operators) const {
  const PhaseScope phase(ProfilePhase::kEmbedding);
  const ModuleScope scope(module_);
  at::Tensor sum = looked_up(words_module_, words_, inputs.ids, padding_row_);
  // As the original: a number of the table's type, which in bf16 has three digits.
  if (scale_ != 1) sum = sum * at::scalar_tensor(scale_, sum.options());
  if (types_.defined()) {
    // A table of one row, as RoBERTa's, has the same for all.
    const bool has_kinds = inputs.types.defined() && types_.size(0) > 1;
    sum = sum + (has_kinds ? looked_up(types_module_, types_, inputs.types) : types_.slice(0, 0, 1).unsqueeze(0));
  }
  if (projection_ != nullptr && project_before_positions_) sum = projection_->forward(sum);
  if (positions_.defined()) {
    const at::Tensor rows = (inputs.positions + position_offset_).clamp_min(0);
    sum = sum + looked_up(positions_module_, positions_, rows);
  }
  if (norm_) sum = (*norm_)(sum, operators);
  if (projection_ != nullptr && !project_before_positions_) sum = projection_->forward(sum);
  return sum;
}

}  // namespace transformeter
