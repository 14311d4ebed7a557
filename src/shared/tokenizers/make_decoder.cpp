// From a decoder of tokenizer.json to ours: one entry a type.
#include <fmt/format.h>

#include <string>

#include "tokenizers/component_table.h"
#include "tokenizers/decoder.h"
#include "tokenizers/decoders.h"
#include "tokenizers/metaspace.h"
#include "tokenizers/replace_normalizer.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

using Made = std::unique_ptr<const Decoder>;

// A member that must be a string of at least one character.
std::string text_of(const ComponentJson& json, const char* name) {
  std::string text = json.string(name);
  if (text.empty()) throw json.bad(fmt::format("'{}' must not be empty", name));
  return text;
}

// A member that must be one character.
std::string character_of(const ComponentJson& json, const char* name) {
  std::string text = text_of(json, name);
  if (character_size(text, 0) != text.size()) throw json.bad(fmt::format("'{}' must be one character", name));
  return text;
}

Made make_wordpiece(const ComponentJson& json) {
  json.allow({"prefix", "cleanup"});
  return std::make_unique<WordPieceDecoder>(json.string("prefix"), json.boolean("cleanup"));
}

// What ByteLevel says beside its type is for the other directions.
Made make_byte_level(const ComponentJson& json) {
  json.allow({"add_prefix_space", "trim_offsets", "use_regex"});
  return std::make_unique<ByteLevelDecoder>();
}

Made make_metaspace(const ComponentJson& json) {
  const MetaspaceOptions options = metaspace_options(json);
  return std::make_unique<MetaspaceDecoder>(options.mark, options.prepend != MetaspaceOptions::Prepend::kNever);
}

Made make_byte_fallback(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<ByteFallbackDecoder>();
}

Made make_fuse(const ComponentJson& json) {
  json.allow({});
  return std::make_unique<FuseDecoder>();
}

Made make_strip(const ComponentJson& json) {
  json.allow({"content", "start", "stop"});
  const auto count = [&](const char* name) { return static_cast<std::size_t>(json.optional_id(name).value_or(0)); };
  return std::make_unique<StripDecoder>(character_of(json, "content"), count("start"), count("stop"));
}

Made make_replace(const ComponentJson& json) {
  json.allow({"pattern", "content"});
  return std::make_unique<ReplaceDecoder>(
      std::make_unique<ReplaceNormalizer>(make_pattern(json), json.string("content")));
}

Made make_bpe(const ComponentJson& json) {
  json.allow({"suffix"});
  return std::make_unique<BpeDecoder>(text_of(json, "suffix"));
}

Made make_ctc(const ComponentJson& json) {
  json.allow({"pad_token", "word_delimiter_token", "cleanup"});
  return std::make_unique<CtcDecoder>(
      CtcDecoder::Options{text_of(json, "pad_token"), text_of(json, "word_delimiter_token"), json.boolean("cleanup")});
}

Made make_sequence(const ComponentJson& json) {
  json.allow({"decoders"});
  std::vector<Made> steps;
  for (const Json& step : json.array("decoders")) {
    steps.push_back(make_decoder(step, fmt::format("{}: decoders[{}]", json.where(), steps.size())));
  }
  return std::make_unique<SequenceDecoder>(std::move(steps));
}

constexpr ComponentMaker<Decoder> kDecoders[] = {
    {"BPEDecoder", make_bpe},
    {"ByteFallback", make_byte_fallback},
    {"ByteLevel", make_byte_level},
    {"CTC", make_ctc},
    {"Fuse", make_fuse},
    {"Metaspace", make_metaspace},
    {"Replace", make_replace},
    {"Sequence", make_sequence},
    {"Strip", make_strip},
    {"WordPiece", make_wordpiece},
};

}  // namespace

std::unique_ptr<const Decoder> make_decoder(const Json& json, const std::string& where) {
  return make_component<Decoder>(kDecoders, json, where);
}

}  // namespace transformeter
