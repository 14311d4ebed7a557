// Two stacks: the first runs once for a text, the second for each pass over tokens of the other.
#include "model/encoder_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>

#include <cstdint>
#include <optional>

#include "model/transformer.h"
#include "spec/encoder_decoder.h"

namespace transformeter {
namespace {

class EncoderDecoder final : public Model {
 public:
  EncoderDecoder(const Blueprint& whole, std::int64_t start_token, const Parameters& parameters)
      : encoder_(make_stack(encoder_of(whole), parameters)),
        decoder_(make_stack(decoder_of(whole), parameters)),
        start_token_(start_token) {}

  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    EncodedText of_this_pass(false);
    EncodedText& encoded = inputs.encoded != nullptr ? *inputs.encoded : of_this_pass;
    if (encoded.is_empty()) encoded.set(encode(inputs, operators), inputs.attention_mask);
    ModelInputs decoder_inputs;
    decoder_inputs.input_ids =
        inputs.decoder_input_ids.defined() ? inputs.decoder_input_ids : shifted(inputs.input_ids);
    decoder_inputs.encoded = &encoded;
    decoder_inputs.cache = inputs.cache;
    decoder_inputs.last_token_only = inputs.last_token_only;
    decoder_inputs.is_training = inputs.is_training;
    decoder_inputs.checkpoints_layers = inputs.checkpoints_layers;
    return decoder_->forward(decoder_inputs, operators);
  }

  std::optional<std::int64_t> start_token() const override { return start_token_; }
  // No head of such a model reads one token alone, so there is nothing to leave out.
  bool leaves_out_tokens() const override { return true; }

 private:
  at::Tensor encode(const ModelInputs& inputs, const Operators& operators) const {
    ModelInputs encoder_inputs = inputs;
    encoder_inputs.cache = nullptr;
    encoder_inputs.last_token_only = false;
    encoder_inputs.encoded = nullptr;
    return encoder_->forward(encoder_inputs, operators);
  }

  // The first token, and each token after the one that it should follow.
  at::Tensor shifted(const at::Tensor& ids) const {
    return at::cat({at::full_like(ids.slice(1, 0, 1), start_token_), ids.slice(1, 0, -1)}, 1);
  }

  std::unique_ptr<Model> encoder_, decoder_;
  std::int64_t start_token_;
};

}  // namespace

std::unique_ptr<Model> make_encoder_decoder(const Blueprint& blueprint, const Parameters& parameters) {
  // check_decoder_start refuses files without one.
  return std::make_unique<EncoderDecoder>(blueprint, blueprint.decoder->start_token.value(), parameters);
}

}  // namespace transformeter
