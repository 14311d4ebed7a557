// From a pre-tokenizer of tokenizer.json to ours: one entry a type.
#include <fmt/format.h>

#include <utility>

#include "tokenizers/bert_characters.h"
#include "tokenizers/bert_pre_tokenizer.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/component_table.h"
#include "tokenizers/gpt_splitters.h"
#include "tokenizers/metaspace.h"
#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/sequence_pre_tokenizer.h"
#include "tokenizers/splitters.h"
#include "tokenizers/text_characters.h"
#include "tokenizers/utf8.h"

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

Made make_byte_level(const ComponentJson& json) {
  json.allow({"add_prefix_space", "trim_offsets", "use_regex"});  // trim_offsets is for the post-processor
  std::unique_ptr<const Splitter> splitter;
  if (json.boolean("use_regex", true)) splitter = std::make_unique<Gpt2Splitter>();
  return std::make_unique<ByteLevelPreTokenizer>(json.boolean("add_prefix_space", true), std::move(splitter));
}

SplitBehavior read_behavior(const ComponentJson& json, const std::string& name) {
  const std::vector<std::pair<std::string, SplitBehavior>> known = {
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous}};
  std::vector<std::string> names;
  for (const auto& [text, behavior] : known) {
    if (text == name) return behavior;
    names.push_back(text);
  }
  throw unknown_value(json.where() + ": behavior", name, names);
}

Made make_split(const ComponentJson& json) {
  json.allow({"pattern", "behavior", "invert"});
  const SplitBehavior behavior = read_behavior(json, json.string("behavior"));
  const bool invert = json.boolean("invert");
  const Json& pattern = json.member("pattern");
  if (behavior == SplitBehavior::kIsolated && pattern.is_object() && pattern.value("Regex", Json()).is_string()) {
    // Isolated, it is the same whether matches or what lies between them are called matches.
    if (auto splitter = find_gpt_splitter(pattern["Regex"].get_ref<const std::string&>())) return splitter;
  }
  return std::make_unique<RegexSplitter>(make_pattern(json), behavior, invert);
}

Made make_punctuation(const ComponentJson& json) {
  json.allow({"behavior"});
  const SplitBehavior behavior = read_behavior(json, json.string("behavior", "Isolated"));
  return std::make_unique<CharacterSplitter>(is_bert_punctuation, behavior);
}

Made make_digits(const ComponentJson& json) {
  json.allow({"individual_digits"});
  const bool apart = json.boolean("individual_digits");
  return std::make_unique<CharacterSplitter>(is_numeric, apart ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

Made make_fixed_length(const ComponentJson& json) {
  json.allow({"length"});
  const std::int32_t length = json.optional_id("length").value_or(5);
  if (length < 1) throw json.bad("'length' must be at least 1");
  return std::make_unique<FixedLengthSplitter>(static_cast<std::size_t>(length));
}

Made make_whitespace(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<WhitespaceSplitter>();
}

Made make_whitespace_split(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<WhitespaceRemover>();
}

Made make_char_delimiter(const ComponentJson& json) {
  json.allow({"delimiter"});
  const std::string text = json.string("delimiter");
  if (text.empty() || character_size(text, 0) != text.size()) throw json.bad("'delimiter' must be one character");
  std::size_t begin = 0;
  const char32_t delimiter = next_code_point(text, begin);
  return std::make_unique<CharacterSplitter>([delimiter](char32_t c) { return c == delimiter; },
                                             SplitBehavior::kRemoved);
}

constexpr ComponentMaker<PreTokenizer> kPreTokenizers[] = {
    {"BertPreTokenizer", make_bert},
    {"ByteLevel", make_byte_level},
    {"CharDelimiterSplit", make_char_delimiter},
    {"Digits", make_digits},
    {"FixedLength", make_fixed_length},
    {"Metaspace", make_metaspace},
    {"Punctuation", make_punctuation},
    {"Sequence", make_sequence},
    {"Split", make_split},
    {"Whitespace", make_whitespace},
    {"WhitespaceSplit", make_whitespace_split},
};

}  // namespace

std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const Json& json, const std::string& where) {
  return make_component<PreTokenizer>(kPreTokenizers, json, where);
}

}  // namespace transformeter
