// As CLIPModel and SiglipModel of Transformers: images first.
#include "model/two_towers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include <optional>
#include <utility>

#include "model/profile_scope.h"
#include "model/transformer.h"
#include "spec/two_towers.h"

namespace transformeter {
namespace {

class TwoTowers final : public Model {
 public:
  TwoTowers(const Blueprint& whole, const Parameters& parameters)
      : images_(make_stack(image_tower_of(whole), parameters)),
        texts_(make_stack(text_tower_of(whole), parameters)),
        terms_(pair_terms(whole.text_tower->logits, parameters)) {}

  at::Tensor forward(const ModelInputs& inputs, const Operators& operators) const override {
    ModelInputs of_images, of_texts = inputs;
    of_images.pixel_values = std::exchange(of_texts.pixel_values, at::Tensor());
    of_images.needed_tokens_only = inputs.needed_tokens_only;
    of_images.is_training = inputs.is_training;
    of_images.checkpoints_layers = inputs.checkpoints_layers;
    if (!of_texts.input_ids.defined()) return images_->forward(of_images, operators);
    if (!of_images.pixel_values.defined()) return texts_->forward(of_texts, operators);
    const at::Tensor images = images_->forward(of_images, operators);
    const at::Tensor texts = texts_->forward(of_texts, operators);
    const PhaseScope phase(ProfilePhase::kHead);
    return pair_logits(texts, images, terms_);
  }

  std::optional<BlankTokens> blank_tokens() const override { return texts_->blank_tokens(); }
  std::optional<EndToken> end_token() const override { return texts_->end_token(); }
  bool leaves_out_tokens() const override { return images_->leaves_out_tokens() && texts_->leaves_out_tokens(); }
  // A pair's logits are those with all others of its batch.
  bool takes_chunks() const override { return false; }

 private:
  std::unique_ptr<Model> images_, texts_;
  PairTerms terms_;
};

}  // namespace

std::unique_ptr<Model> make_two_towers(const Blueprint& blueprint, const Parameters& parameters) {
  return std::make_unique<TwoTowers>(blueprint, parameters);
}

PairTerms pair_terms(const PairLogitsSpec& spec, const Parameters& parameters) {
  return {parameters.at(spec.scale), spec.bias.empty() ? at::Tensor() : parameters.at(spec.bias)};
}

at::Tensor pair_logits(const at::Tensor& texts, const at::Tensor& images, const PairTerms& terms) {
  const at::Tensor scaled = at::matmul(texts, images.t()) * terms.scale.exp();
  return terms.bias.defined() ? scaled + terms.bias : scaled;
}

}  // namespace transformeter
