// The blueprints of both towers, which share nothing.
#include "spec/two_towers.h"

namespace transformeter {

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
  texts.is_causal = true;
  return texts;
}

}  // namespace transformeter
