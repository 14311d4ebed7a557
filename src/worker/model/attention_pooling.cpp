// The query is the same for all rows, and is projected for each, as the original does.
#include "model/attention_pooling.h"

#include <ATen/TensorOperators.h>

#include <vector>

#include "model/attention.h"
#include "model/layer.h"
#include "model/profile_scope.h"

namespace transformeter {

AttentionPooling::AttentionPooling(const ProbeSpec& spec, const Parameters& parameters)
    : probe_(parameters.at(spec.query)),
      query_(parameters.linear(spec.attention.inputs[0])),
      key_value_(parameters.linear(spec.attention.inputs[1])),
      output_(parameters.linear(spec.attention.output)),
      in_(parameters.linear(spec.feed_forward.in)),
      out_(parameters.linear(spec.feed_forward.out)),
      norm_(make_norm(parameters, spec.norm)),
      activation_(spec.feed_forward.activation),
      heads_(spec.attention.heads),
      head_dim_(spec.attention.head_dim),
      attention_module_(attention_module(spec.attention)),
      feed_forward_module_(feed_forward_module(spec.feed_forward)) {}

at::Tensor AttentionPooling::forward(const at::Tensor& hidden, const Operators& operators) const {
  const at::Tensor seen = attended(hidden, operators);
  const at::Tensor normed = norm_(seen, operators);
  const ModuleScope scope(feed_forward_module_);
  return out_->added_to(in_->activated_for(*out_, normed, activation_), seen).squeeze(1);
}

// [B, 1, C].
at::Tensor AttentionPooling::attended(const at::Tensor& hidden, const Operators& operators) const {
  const ModuleScope scope(attention_module_);
  const at::Tensor probes = probe_.expand({hidden.size(0), -1, -1}).contiguous();
  const std::vector<at::Tensor> tokens = key_value_->forward(hidden).chunk(2, -1);
  AttentionInputs inputs;
  inputs.query = split(query_->forward(probes));
  inputs.key = split(tokens[0]);
  inputs.value = split(tokens[1]);
  return output_->forward(join_heads(operators.attention(inputs)));
}

// [B, T, heads · d] to [B, heads, T, d].
at::Tensor AttentionPooling::split(const at::Tensor& projected) const {
  return projected.view({projected.size(0), projected.size(1), heads_, head_dim_}).transpose(1, 2);
}

}  // namespace transformeter
