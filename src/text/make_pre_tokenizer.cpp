// From a pre-tokenizer of tokenizer.json to ours: one entry a type.
#include <fmt/format.h>

#include "text/bert_pre_tokenizer.h"
#include "text/component_table.h"
#include "text/metaspace.h"
#include "text/pre_tokenizer.h"
#include "text/sequence_pre_tokenizer.h"

namespace transformeter {
namespace {

using Made = std::unique_ptr<const PreTokenizer>;

Made make_bert(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<BertPreTokenizer>();
}

Made make_sequence(const ComponentJson& json) {
  json.allow({"pretokenizers"});
  std::vector<Made> steps;
  for (const Json& step : json.array("pretokenizers")) {
    steps.push_back(make_pre_tokenizer(step, fmt::format("{}: pretokenizers[{}]", json.where(), steps.size())));
  }
  return std::make_unique<SequencePreTokenizer>(std::move(steps));
}

Made make_metaspace(const ComponentJson& json) {
  return std::make_unique<Metaspace>(metaspace_options(json));
}

constexpr ComponentMaker<PreTokenizer> kPreTokenizers[] = {
    {"BertPreTokenizer", make_bert},
    {"Metaspace", make_metaspace},
    {"Sequence", make_sequence},
};

}  // namespace

std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const Json& json, const std::string& where) {
  return make_component<PreTokenizer>(kPreTokenizers, json, where);
}

}  // namespace transformeter
