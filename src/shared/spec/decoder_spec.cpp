// Heads as in transformers/modeling_layers.py of Transformers 5.23.
#include "spec/decoder_spec.h"

namespace transformeter {

bool words_are_tied(const ConfigReader& reader, const ModelConfig& config) {
  const std::string& family = config.family();
  return reader.flag("tie_word_embeddings", family == "gpt2" || family == "opt");
}

HeadSpec decoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      const DecoderHeadNames& names, HeadKind kind) {
  HeadSpec head;
  if (kind == HeadKind::kNextToken) {
    head.output = linear_spec("lm_head", names.width, config.vocab_size, false);
    if (words_are_tied(reader, config)) {
      head.output->weight = embedding.words;
      head.output->tied_weight = "lm_head.weight";
    }
  } else if (kind == HeadKind::kSequenceClasses) {
    head.selection = Selection::kLast;
    head.output = linear_spec(names.classifier, names.width, config.num_labels, false);
  } else if (kind == HeadKind::kTokenClasses) {
    head.output = linear_spec(names.token_classifier, names.width, config.num_labels);
    head.dropout = names.dropout;
  } else if (kind == HeadKind::kSpan) {
    head.output = linear_spec("qa_outputs", names.width, 2);
  } else {
    head.selection = Selection::kMean;
  }
  return head;
}

std::vector<HeadKind> decoder_heads() {
  return {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kTokenClasses, HeadKind::kSpan, HeadKind::kNone};
}

}  // namespace transformeter
