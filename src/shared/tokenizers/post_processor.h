// What a tokenizer.json's post-processor comes to: the special tokens around the texts, and how places are trimmed.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "tokenizers/arrangement.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

struct PostProcessing {
  Arrangement arrangement = bare_arrangement();
  std::optional<OffsetTrim> offset_trim;
};

/// Of BertProcessing, RobertaProcessing, TemplateProcessing, ByteLevel, and a Sequence of ByteLevel and at most one of
/// the others. Errors as make_normalizer.
PostProcessing make_post_processing(const Json& json, const std::string& where);

}  // namespace transformeter
