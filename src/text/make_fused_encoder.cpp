// Components are told by their types: those of tokenizer.json and of the other loaders are the same.
#include "text/make_fused_encoder.h"

#include "text/bert_encoder.h"
#include "text/bert_normalizer.h"
#include "text/bert_pre_tokenizer.h"
#include "text/wordpiece.h"

namespace transformeter {

std::unique_ptr<const FusedEncoder> make_fused_encoder(const TokenizerParts& parts) {
  const auto* normalizer = dynamic_cast<const BertNormalizer*>(parts.normalizer.get());
  const auto* pre_tokenizer = dynamic_cast<const BertPreTokenizer*>(parts.pre_tokenizer.get());
  const auto* model = dynamic_cast<const WordPiece*>(parts.model.get());
  if (normalizer == nullptr || pre_tokenizer == nullptr || model == nullptr) return nullptr;
  return std::make_unique<BertEncoder>(*normalizer, *model);
}

}  // namespace transformeter
