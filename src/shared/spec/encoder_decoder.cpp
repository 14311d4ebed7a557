// The blueprints of both parts of an encoder-decoder model, which share the table of words.
#include "spec/encoder_decoder.h"

namespace transformeter {

Blueprint encoder_of(const Blueprint& whole) {
  Blueprint encoder = whole;
  encoder.decoder.reset();
  encoder.head = HeadSpec{};
  return encoder;
}

Blueprint decoder_of(const Blueprint& whole) {
  Blueprint decoder;
  decoder.embedding = whole.embedding;
  decoder.layers = whole.decoder->layers;
  decoder.relative_bias = whole.decoder->relative_bias;
  decoder.final_norm = whole.decoder->final_norm;
  decoder.head = whole.head;
  decoder.is_causal = true;
  decoder.hidden_dropout = whole.hidden_dropout;
  decoder.final_dropout = whole.final_dropout;
  return decoder;
}

}  // namespace transformeter
