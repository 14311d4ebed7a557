// Two stacks: the first runs once for a text, the second for each pass over tokens of the other.
#include "model/encoder_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>

#include <cstdint>
#include <optional>

#include "base/error.h"
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
    ModelInputs made;
    made.input_ids = inputs.decoder_input_ids.defined() ? inputs.decoder_input_ids : shifted(inputs.input_ids);
    made.encoded = &encoded;
    made.cache = inputs.cache;
    made.last_token_only = inputs.last_token_only;
    return decoder_->forward(made, operators);
  }

  std::optional<std::int64_t> start_token() const override { return start_token_; }
  // No head of such a model reads one token alone, so there is nothing to leave out.
  bool leaves_out_tokens() const override { return true; }

 private:
  at::Tensor encode(const ModelInputs& inputs, const Operators& operators) const {
    ModelInputs text = inputs;
    text.cache = nullptr;
    text.last_token_only = false;
    text.encoded = nullptr;
    return encoder_->forward(text, operators);
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
  const std::optional<std::int64_t>& start = blueprint.decoder->start_token;
  if (!start) {
    throw Error(ErrorKind::kBadInput,
                "the model's files do not say with which token its decoder begins; add decoder_start_token_id to "
                "config.json (T5 has 0)");
  }
  return std::make_unique<EncoderDecoder>(blueprint, *start, parameters);
}

}  // namespace transformeter
