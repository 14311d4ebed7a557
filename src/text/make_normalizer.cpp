// From a normalizer of tokenizer.json to ours: one entry a type.
#include <fmt/format.h>

#include "text/bert_normalizer.h"
#include "text/component_json.h"
#include "text/component_table.h"
#include "text/normalizer.h"
#include "text/precompiled_normalizer.h"
#include "text/sequence_normalizer.h"

namespace transformeter {
namespace {

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

constexpr ComponentMaker<Normalizer> kNormalizers[] = {
    {"BertNormalizer", make_bert},
    {"Nmt", make_nmt},
    {"Precompiled", make_precompiled},
    {"Sequence", make_sequence},
};

}  // namespace

std::unique_ptr<const Normalizer> make_normalizer(const Json& json, const std::string& where) {
  return make_component<Normalizer>(kNormalizers, json, where);
}

}  // namespace transformeter
