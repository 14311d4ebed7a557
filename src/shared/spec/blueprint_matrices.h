// The matrices of a blueprint, one after another.
#pragma once

#include <type_traits>

#include "spec/blueprint.h"

namespace transformeter {

/// Calls visit(AttentionSpec&) for every attention, of a decoder to itself and to what was encoded too, of a text tower
/// and of a head's probe.
template <typename AnyBlueprint, typename Visit>
void visit_attentions(AnyBlueprint& blueprint, const Visit& visit) {
  static_assert(std::is_same_v<std::remove_const_t<AnyBlueprint>, Blueprint>);
  const auto visit_layers = [&](auto& layers) {
    for (auto& layer : layers) {
      visit(layer.attention);
      if (layer.cross_attention) visit(*layer.cross_attention);
    }
  };
  visit_layers(blueprint.layers);
  if (blueprint.head.probe) visit(blueprint.head.probe->attention);
  if (blueprint.decoder) visit_layers(blueprint.decoder->layers);
  if (blueprint.text_tower) visit_layers(blueprint.text_tower->layers);
}

/// Calls visit(LinearSpec&) for every matrix, in the order of a forward pass: once for each layer, though layers may
/// share weights. Leaves out the projection of waves and a head's similarities. The blueprint may be const.
template <typename AnyBlueprint, typename Visit>
void visit_matrices(AnyBlueprint& blueprint, const Visit& visit) {
  static_assert(std::is_same_v<std::remove_const_t<AnyBlueprint>, Blueprint>);
  const auto visit_optional = [&](auto& matrix) {
    if (matrix) visit(*matrix);
  };
  const auto visit_attention = [&](auto& attention) {
    for (auto& input : attention.inputs) visit(input);
    visit(attention.output);
  };
  const auto visit_layers = [&](auto& layers) {
    for (auto& layer : layers) {
      visit_attention(layer.attention);
      if (layer.cross_attention) visit_attention(*layer.cross_attention);
      visit_optional(layer.feed_forward.gate);
      visit(layer.feed_forward.in);
      visit(layer.feed_forward.out);
    }
  };
  const auto visit_head = [&](auto& head) {
    if (head.probe) {
      visit_attention(head.probe->attention);
      visit(head.probe->feed_forward.in);
      visit(head.probe->feed_forward.out);
    }
    visit_optional(head.dense);
    visit_optional(head.output);
  };
  if (blueprint.embedding.patches) visit(blueprint.embedding.patches->projection);
  visit_optional(blueprint.embedding.projection);
  visit_layers(blueprint.layers);
  if (blueprint.decoder) visit_layers(blueprint.decoder->layers);
  visit_optional(blueprint.final_projection);
  visit_head(blueprint.head);
  if (!blueprint.text_tower) return;
  visit_optional(blueprint.text_tower->embedding.projection);
  visit_layers(blueprint.text_tower->layers);
  visit_head(blueprint.text_tower->head);
}

}  // namespace transformeter
