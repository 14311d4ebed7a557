// From a normalizer of tokenizer.json to ours: one entry a type.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "tokenizers/bert_normalizer.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/component_json.h"
#include "tokenizers/component_table.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/precompiled_normalizer.h"
#include "tokenizers/replace_normalizer.h"
#include "tokenizers/unicode_normalizers.h"

namespace transformeter {
namespace {

class SequenceNormalizer final : public Normalizer {
 public:
  explicit SequenceNormalizer(std::vector<std::unique_ptr<const Normalizer>> steps) : steps_(std::move(steps)) {}

  std::string normalize(std::string_view text) const override;
  AlignedText normalize_aligned(AlignedText text) const override;

 private:
  std::vector<std::unique_ptr<const Normalizer>> steps_;
};

std::string SequenceNormalizer::normalize(std::string_view text) const {
  std::string made(text);
  for (const auto& step : steps_) made = step->normalize(made);
  return made;
}

AlignedText SequenceNormalizer::normalize_aligned(AlignedText text) const {
  for (const auto& step : steps_) text = step->normalize_aligned(std::move(text));
  return text;
}

using Made = std::unique_ptr<const Normalizer>;

Made make_bert(const ComponentJson& json) {
  json.allow({"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  BertNormalizerOptions options;
  options.clean_text = json.boolean("clean_text", true);
  options.handle_chinese_chars = json.boolean("handle_chinese_chars", true);
  options.strip_accents = json.optional_boolean("strip_accents");
  options.lowercase = json.boolean("lowercase", true);
  return std::make_unique<BertNormalizer>(options);
}

Made make_sequence(const ComponentJson& json) {
  json.allow({"normalizers"});
  std::vector<Made> steps;
  for (const Json& step : json.array("normalizers")) {
    steps.push_back(make_normalizer(step, fmt::format("{}: normalizers[{}]", json.where(), steps.size())));
  }
  return std::make_unique<SequenceNormalizer>(std::move(steps));
}

Made make_nmt(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<NmtNormalizer>();
}

Made make_precompiled(const ComponentJson& json) {
  json.allow({"precompiled_charsmap"});
  const auto bytes = decode_base64(json.string("precompiled_charsmap"));
  if (!bytes) throw json.bad("'precompiled_charsmap' must be base64 with padding");
  return std::make_unique<PrecompiledNormalizer>(Charsmap(*bytes, json.where()));
}

Made make_byte_level(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<ByteLevelNormalizer>();
}

template <NormalForm Form>
Made make_form(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<UnicodeNormalizer>(Form);
}

Made make_lowercase(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<LowercaseNormalizer>();
}

Made make_strip_accents(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<StripAccentsNormalizer>();
}

Made make_strip(const ComponentJson& json) {
  json.allow({"strip_left", "strip_right"});
  return std::make_unique<StripNormalizer>(json.boolean("strip_left"), json.boolean("strip_right"));
}

Made make_prepend(const ComponentJson& json) {
  json.allow({"prepend"});
  return std::make_unique<PrependNormalizer>(json.string("prepend"));
}

Made make_replace(const ComponentJson& json) {
  json.allow({"pattern", "content"});
  return std::make_unique<ReplaceNormalizer>(make_pattern(json), json.string("content"));
}

constexpr ComponentMaker<Normalizer> kNormalizers[] = {
    {"BertNormalizer", make_bert},
    {"ByteLevel", make_byte_level},
    {"Lowercase", make_lowercase},
    {"NFC", make_form<NormalForm::kNfc>},
    {"NFD", make_form<NormalForm::kNfd>},
    {"NFKC", make_form<NormalForm::kNfkc>},
    {"NFKD", make_form<NormalForm::kNfkd>},
    {"Nmt", make_nmt},
    {"Precompiled", make_precompiled},
    {"Prepend", make_prepend},
    {"Replace", make_replace},
    {"Sequence", make_sequence},
    {"Strip", make_strip},
    {"StripAccents", make_strip_accents},
};

}  // namespace

std::unique_ptr<const Normalizer> lowercasing_before(std::unique_ptr<const Normalizer> next) {
  std::vector<Made> steps;
  steps.push_back(std::make_unique<LowercaseNormalizer>());
  if (next != nullptr) steps.push_back(std::move(next));
  return std::make_unique<SequenceNormalizer>(std::move(steps));
}

std::unique_ptr<const Normalizer> make_normalizer(const Json& json, const std::string& where) {
  return make_component<Normalizer>(kNormalizers, json, where);
}

}  // namespace transformeter
