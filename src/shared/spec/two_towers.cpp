// The blueprints of both towers, which share nothing.
#include "spec/two_towers.h"

#include <utility>

namespace transformeter {

Blueprint with_text_tower(Blueprint images, Blueprint texts, const PairLogitsSpec& logits, std::int64_t vector_size) {
  images.head.normalized = texts.head.normalized = true;
  images.text_tower = TextTowerSpec{.embedding = std::move(texts.embedding),
                                    .layers = std::move(texts.layers),
                                    .final_norm = std::move(texts.final_norm),
                                    .head = std::move(texts.head),
                                    .end = texts.end,
                                    .is_causal = texts.is_causal,
                                    .logits = logits,
                                    .vector_size = vector_size};
  return images;
}

Blueprint with_named_classes(Blueprint images, std::int64_t classes, const PairLogitsSpec& logits,
                             std::int64_t vector_size) {
  images.head.normalized = true;
  const bool has_bias = !logits.bias.empty();
  images.head.similarities = SimilaritySpec{linear_spec("zero_shot", vector_size, classes, has_bias), logits};
  return images;
}

Blueprint image_tower_of(const Blueprint& whole) {
  Blueprint images = whole;
  images.text_tower.reset();
  return images;
}

Blueprint text_tower_of(const Blueprint& whole) {
  Blueprint texts;
  texts.embedding = whole.text_tower->embedding;
  texts.layers = whole.text_tower->layers;
  texts.final_norm = whole.text_tower->final_norm;
  texts.head = whole.text_tower->head;
  texts.end = whole.text_tower->end;
  texts.is_causal = whole.text_tower->is_causal;
  return texts;
}

}  // namespace transformeter
