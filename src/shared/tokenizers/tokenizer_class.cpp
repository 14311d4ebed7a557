// As the constructors of Transformers 5.23.0 do.
#include "tokenizers/tokenizer_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

using Kind = TokenizerClass::Kind;

struct ClassName {
  std::string_view name;
  Kind kind;
  bool has_token_types = false;
};

// Classes and their aliases. Those that are missing here are taken as the file says.
constexpr std::array kClasses{
    ClassName{"BertTokenizer", Kind::kBert, true},
    ClassName{"DistilBertTokenizer", Kind::kBert, false},
    ClassName{"ElectraTokenizer", Kind::kBert, true},
    ClassName{"LayoutLMTokenizer", Kind::kBert, true},
    ClassName{"LxmertTokenizer", Kind::kBert, true},
    ClassName{"MobileBertTokenizer", Kind::kBert, true},
    ClassName{"SqueezeBertTokenizer", Kind::kBert, true},
    ClassName{"MPNetTokenizer", Kind::kMpnet},
    ClassName{"BartTokenizer", Kind::kRoberta},
    ClassName{"LEDTokenizer", Kind::kRoberta},
    ClassName{"LongformerTokenizer", Kind::kRoberta},
    ClassName{"MvpTokenizer", Kind::kRoberta},
    ClassName{"RobertaTokenizer", Kind::kRoberta},
    ClassName{"GPT2Tokenizer", Kind::kGpt2},
    ClassName{"Qwen2Tokenizer", Kind::kQwen2},
    ClassName{"AlbertTokenizer", Kind::kAlbert},
    ClassName{"CamembertTokenizer", Kind::kCamembert},
    ClassName{"XLMRobertaTokenizer", Kind::kXlmRoberta},
    ClassName{"LlamaTokenizer", Kind::kLlama},
    ClassName{"GemmaTokenizer", Kind::kGemma},
    ClassName{"CLIPTokenizer", Kind::kClip},
    ClassName{"T5Tokenizer", Kind::kT5},
    ClassName{"SiglipTokenizer", Kind::kSiglip},
};

// Classes that Transformers builds itself, in a way that is not followed here: neither their tokenizer.json nor their
// vocabulary says what they do.
constexpr std::string_view kOthers[] = {"BarthezTokenizer",
                                        "BartphoTokenizer",
                                        "BertGenerationTokenizer",
                                        "BertJapaneseTokenizer",
                                        "BertweetTokenizer",
                                        "BigBirdTokenizer",
                                        "BioGptTokenizer",
                                        "BlenderbotSmallTokenizer",
                                        "BlenderbotTokenizer",
                                        "ByT5Tokenizer",
                                        "CTRLTokenizer",
                                        "CanineTokenizer",
                                        "ClvpTokenizer",
                                        "CodeGenTokenizer",
                                        "CodeLlamaTokenizer",
                                        "CohereTokenizer",
                                        "ConvBertTokenizer",
                                        "CpmAntTokenizer",
                                        "CpmTokenizer",
                                        "DPRContextEncoderTokenizer",
                                        "DPRQuestionEncoderTokenizer",
                                        "DPRReaderTokenizer",
                                        "DebertaTokenizer",
                                        "DebertaV2Tokenizer",
                                        "DiaTokenizer",
                                        "EsmTokenizer",
                                        "EsmcTokenizer",
                                        "FNetTokenizer",
                                        "FSMTTokenizer",
                                        "FastSpeech2ConformerTokenizer",
                                        "FlaubertTokenizer",
                                        "FunnelTokenizer",
                                        "GPTNeoXJapaneseTokenizer",
                                        "GPTNeoXTokenizer",
                                        "GPTSw3Tokenizer",
                                        "HerbertTokenizer",
                                        "LasrTokenizer",
                                        "LayoutLMv2Tokenizer",
                                        "LayoutLMv3Tokenizer",
                                        "LayoutXLMTokenizer",
                                        "LukeTokenizer",
                                        "M2M100Tokenizer",
                                        "MBart50Tokenizer",
                                        "MBartTokenizer",
                                        "MLukeTokenizer",
                                        "MarianTokenizer",
                                        "MarkupLMTokenizer",
                                        "MgpstrTokenizer",
                                        "MyT5Tokenizer",
                                        "NllbTokenizer",
                                        "NougatTokenizer",
                                        "OpenAIGPTTokenizer",
                                        "PLBartTokenizer",
                                        "PegasusTokenizer",
                                        "PerceiverTokenizer",
                                        "PhobertTokenizer",
                                        "Pop2PianoTokenizer",
                                        "ProphetNetTokenizer",
                                        "Qwen3_5Tokenizer",
                                        "ReformerTokenizer",
                                        "RemBertTokenizer",
                                        "RoCBertTokenizer",
                                        "RoFormerTokenizer",
                                        "SeamlessM4TTokenizer",
                                        "Siglip2Tokenizer",
                                        "Speech2TextTokenizer",
                                        "SpeechT5Tokenizer",
                                        "SplinterTokenizer",
                                        "TapasTokenizer",
                                        "Tipsv2Tokenizer",
                                        "UdopTokenizer",
                                        "VideoPrismTokenizer",
                                        "VitsTokenizer",
                                        "Wav2Vec2CTCTokenizer",
                                        "Wav2Vec2PhonemeCTCTokenizer",
                                        "WhisperTokenizer",
                                        "XGLMTokenizer",
                                        "XLMTokenizer",
                                        "XLNetTokenizer"};

struct FamilyClass {
  std::string_view model_type;
  std::string_view name;   // of the class registered for it; empty: tokenizer.json as it is
  bool distrusts = false;  // the registered class counts, whatever the files name
};

constexpr std::array kFamilies{
    FamilyClass{"albert", "AlbertTokenizer"},
    FamilyClass{"bert", "BertTokenizer"},
    FamilyClass{"camembert", "CamembertTokenizer"},
    FamilyClass{"clip", "CLIPTokenizer"},
    FamilyClass{"distilbert", "BertTokenizer"},
    FamilyClass{"electra", "BertTokenizer"},
    FamilyClass{"gemma3_text", "GemmaTokenizer"},
    FamilyClass{"gpt2", "GPT2Tokenizer"},
    FamilyClass{"longformer", "RobertaTokenizer"},
    FamilyClass{"mistral", ""},
    FamilyClass{"mobilebert", "MobileBertTokenizer"},
    FamilyClass{"modernbert", "", true},
    FamilyClass{"mpnet", "MPNetTokenizer"},
    FamilyClass{"mt5", "T5Tokenizer"},
    FamilyClass{"opt", "GPT2Tokenizer"},
    FamilyClass{"phi3", "", true},
    FamilyClass{"qwen2", "Qwen2Tokenizer", true},
    FamilyClass{"qwen3", "Qwen2Tokenizer"},
    FamilyClass{"roberta", "RobertaTokenizer"},
    FamilyClass{"siglip", "SiglipTokenizer"},
    FamilyClass{"squeezebert", "BertTokenizer"},
    FamilyClass{"t5", "T5Tokenizer"},
    FamilyClass{"xlm-roberta", "XLMRobertaTokenizer"},
};

std::string chosen_name(const TokenizerConfig& config, bool has_byte_level) {
  const std::string& named = config.tokenizer_class;
  const auto* family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                    [&](const FamilyClass& known) { return known.model_type == config.model_type; });
  const bool is_known = family != kFamilies.end();
  if (named == "LlamaTokenizer" && has_byte_level && !(is_known && family->distrusts)) return "";
  if (!is_known) return named;
  if (named.empty() || family->distrusts || family->name.empty()) return std::string(family->name);
  return named;
}

Json metaspace(std::string_view scheme, bool split) {
  return {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", scheme}, {"split", split}};
}

Json replace_text(const char* pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", {{"String", pattern}}}, {"content", content}};
}

Json byte_level(bool add_prefix_space, bool use_regex) {
  return {
      {"type", "ByteLevel"}, {"add_prefix_space", add_prefix_space}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

Json sequence(const char* member, std::vector<Json> steps) {
  return {{"type", "Sequence"}, {member, std::move(steps)}};
}

// The first Precompiled of a normalizer, or of the sequence that it is; null: none.
Json precompiled_of(const Json& normalizer) {
  if (!normalizer.is_object()) return nullptr;
  const auto is_precompiled = [](const Json& step) {
    return step.is_object() && step.value("type", Json()) == "Precompiled" && step.contains("precompiled_charsmap");
  };
  if (is_precompiled(normalizer)) return normalizer;
  const auto steps = normalizer.find("normalizers");
  if (steps == normalizer.end() || !steps->is_array()) return nullptr;
  const auto found = std::find_if(steps->begin(), steps->end(), is_precompiled);
  return found == steps->end() ? Json() : *found;
}

void make_bert(const TokenizerConfig& config, Json& file) {
  file["normalizer"] = {
      {"type", "BertNormalizer"},
      {"clean_text", true},
      {"handle_chinese_chars", config.tokenize_chinese_chars.value_or(true)},
      {"strip_accents", config.strip_accents ? Json(*config.strip_accents) : Json()},
      {"lowercase", config.do_lower_case.value_or(true)},
  };
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["model"] = {{"type", "WordPiece"}, {"unk_token", config.unk_token.value_or("[UNK]")}};
}

void make_byte_level(Kind kind, const TokenizerConfig& config, Json& file) {
  constexpr const char* kQwen2Split =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const bool add_prefix_space = config.add_prefix_space.value_or(false);
  if (kind == Kind::kQwen2) {
    file["normalizer"] = {{"type", "NFC"}};
    const Json split = {
        {"type", "Split"}, {"pattern", {{"Regex", kQwen2Split}}}, {"behavior", "Isolated"}, {"invert", false}};
    file["pre_tokenizer"] = sequence("pretokenizers", {split, byte_level(add_prefix_space, false)});
  } else {
    file["normalizer"] = nullptr;
    file["pre_tokenizer"] = byte_level(add_prefix_space, true);
  }
  file["decoder"] = {{"type", "ByteLevel"}};
  file["model"] = {{"type", "BPE"}};
}

Json replace_matches(const char* pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", {{"Regex", pattern}}}, {"content", content}};
}

Json albert_normalizer(const TokenizerConfig& config, const Json& precompiled) {
  std::vector<Json> steps{replace_text("``", "\""), replace_text("''", "\"")};
  if (!config.keep_accents.value_or(false)) {
    steps.push_back({{"type", "NFKD"}});
    steps.push_back({{"type", "StripAccents"}});
  }
  if (config.do_lower_case.value_or(true)) steps.push_back({{"type", "Lowercase"}});
  if (!precompiled.is_null()) steps.push_back(precompiled);
  return sequence("normalizers", std::move(steps));
}

// Without ASCII's punctuation. White space is Python's, which also parts words at the separators of records.
Json siglip_normalizer(const TokenizerConfig& config, const Json& precompiled) {
  std::vector<Json> steps;
  if (config.do_lower_case.value_or(true)) steps.push_back({{"type", "Lowercase"}});
  steps.push_back(replace_matches(R"([!-/:-@\[-`{-~])", ""));
  steps.push_back(replace_matches(R"([\s\x1c-\x1f]+)", " "));
  if (!precompiled.is_null()) steps.push_back(precompiled);
  return sequence("normalizers", std::move(steps));
}

// Of a list of [word, score]; 0: it is not there.
std::size_t index_of_word(const Json& words, const std::string& word) {
  for (std::size_t i = 0; words.is_array() && i < words.size(); ++i) {
    if (words[i].is_array() && !words[i].empty() && words[i][0] == word) return i;
  }
  return 0;
}

void make_unigram(Kind kind, const TokenizerConfig& config, Json& file) {
  const auto normalizer = file.find("normalizer");
  const Json precompiled = normalizer == file.end() ? Json() : precompiled_of(*normalizer);
  file["normalizer"] = precompiled;
  if (kind == Kind::kAlbert) file["normalizer"] = albert_normalizer(config, precompiled);
  if (kind == Kind::kSiglip) file["normalizer"] = siglip_normalizer(config, precompiled);
  const bool is_t5 = kind == Kind::kT5 || kind == Kind::kSiglip;  // they have the same special tokens
  const bool has_prefix_space = is_t5 || config.add_prefix_space.value_or(true);
  const Json space = metaspace(has_prefix_space ? "always" : "never", true);
  file["pre_tokenizer"] = sequence("pretokenizers", {{{"type", "WhitespaceSplit"}}, space});
  file["decoder"] = space;
  Json words = std::move(file["model"]["vocab"]);
  Json unknown = kind == Kind::kAlbert ? 1 : is_t5 ? 2 : 3;
  if (kind == Kind::kSiglip) unknown = file["model"].value("unk_id", unknown);
  if (kind == Kind::kCamembert) {  // the first word, where the name is null
    unknown = config.null_tokens.count("unk_token") > 0 ? 0 : index_of_word(words, config.unk_token.value_or("<unk>"));
  }
  file["model"] = {{"type", "Unigram"}, {"unk_id", unknown}, {"vocab", std::move(words)}};
}

void make_llama(const TokenizerConfig& config, Json& file) {
  const bool add_prefix_space = config.add_prefix_space.value_or(true);
  const char* first = config.legacy.value_or(false) ? "always" : "first";
  std::vector<Json> steps{replace_text("\u2581", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (add_prefix_space) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = metaspace(add_prefix_space ? first : "never", false);
  file["decoder"] = sequence("decoders", std::move(steps));
  file["model"] = {{"type", "BPE"}, {"fuse_unk", true}, {"byte_fallback", true}};
}

// No blank is left to split at, but in added tokens.
void make_gemma(const TokenizerConfig& config, Json& file) {
  const std::vector<Json> steps{replace_text("\u2581", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  file["normalizer"] = replace_text(" ", "\u2581");
  file["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
  file["decoder"] = sequence("decoders", steps);
  file["model"] = {
      {"type", "BPE"}, {"fuse_unk", true}, {"byte_fallback", true}, {"unk_token", config.unk_token.value_or("<unk>")}};
}

// Of lower-cased words, each of which ends in a mark of its own; white space parts them and is dropped.
void make_clip(const TokenizerConfig& config, Json& file) {
  constexpr const char* kWords =
      R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";
  const Json spaces = replace_matches(R"(\s+)", " ");
  const Json words = {{"type", "Split"}, {"pattern", {{"Regex", kWords}}}, {"behavior", "Removed"}, {"invert", true}};
  const Json last = {{"type", "Strip"}, {"content", " "}, {"start", 0}, {"stop", 1}};
  file["normalizer"] = sequence("normalizers", {{{"type", "NFC"}}, spaces, {{"type", "Lowercase"}}});
  file["pre_tokenizer"] = sequence("pretokenizers", {words, byte_level(false, true)});
  file["decoder"] = sequence("decoders", {{{"type", "ByteLevel"}}, replace_text("</w>", " "), last});
  file["model"] = {
      {"type", "BPE"}, {"end_of_word_suffix", "</w>"}, {"unk_token", config.unk_token.value_or("<|endoftext|>")}};
}

const char* model_of(Kind kind) {
  if (kind == Kind::kBert || kind == Kind::kMpnet) return "WordPiece";
  const bool is_unigram = kind == Kind::kAlbert || kind == Kind::kCamembert || kind == Kind::kXlmRoberta ||
                          kind == Kind::kT5 || kind == Kind::kSiglip;
  return is_unigram ? "Unigram" : "BPE";
}

constexpr std::string_view kExtraId = "<extra_id_";
constexpr std::int64_t kExtraIds = 100;

bool is_extra_id(const AddedToken& token) {
  return token.content.find(kExtraId) != std::string::npos;
}

// The class's own names of special tokens. Of `config` only the number of T5's sentinels is read.
TokenizerConfig class_tokens(Kind kind, const TokenizerConfig& config) {
  TokenizerConfig own;
  const bool has_bert_names = kind == Kind::kBert || kind == Kind::kAlbert;
  switch (kind) {
    case Kind::kFile:
      break;
    case Kind::kBert:
    case Kind::kAlbert:
    case Kind::kRoberta:
    case Kind::kCamembert:
    case Kind::kXlmRoberta:
      own.cls_token = has_bert_names ? "[CLS]" : "<s>";
      own.sep_token = has_bert_names ? "[SEP]" : "</s>";
      own.mask_token = has_bert_names ? "[MASK]" : "<mask>";
      own.pad_token = kind == Kind::kBert ? "[PAD]" : "<pad>";
      own.unk_token = kind == Kind::kBert ? "[UNK]" : "<unk>";
      if (kind == Kind::kBert) break;
      own.bos_token = own.cls_token;
      own.eos_token = own.sep_token;
      if (kind != Kind::kCamembert) break;
      for (const char* name : {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"}) {
        own.extra_special_tokens.push_back({.content = name, .special = true});
      }
      break;
    case Kind::kMpnet:
      own.unk_token = "[UNK]";
      own.bos_token = own.cls_token = "<s>";
      own.eos_token = own.sep_token = "</s>";
      own.pad_token = "<pad>";
      own.mask_token = "<mask>";
      break;
    case Kind::kGpt2:
      own.unk_token = own.bos_token = own.eos_token = "<|endoftext|>";
      break;
    case Kind::kClip:
      own.bos_token = "<|startoftext|>";
      own.unk_token = own.pad_token = own.eos_token = "<|endoftext|>";
      break;
    case Kind::kQwen2:
      own.unk_token = own.pad_token = own.eos_token = "<|endoftext|>";
      break;
    case Kind::kLlama:
      own.unk_token = "<unk>";
      own.bos_token = "<s>";
      own.eos_token = "</s>";
      break;
    case Kind::kGemma:
      own.unk_token = "<unk>";
      own.bos_token = "<bos>";
      own.eos_token = "<eos>";
      own.pad_token = "<pad>";
      own.mask_token = "<mask>";
      break;
    case Kind::kSiglip:
      own.unk_token = "<unk>";
      own.pad_token = own.eos_token = "</s>";
      break;
    case Kind::kT5:
      own.unk_token = "<unk>";
      own.eos_token = "</s>";
      own.pad_token = "<pad>";
      for (std::int64_t i = 0; i < config.extra_ids.value_or(kExtraIds); ++i) {
        own.extra_special_tokens.push_back({.content = fmt::format("{}{}>", kExtraId, i), .special = true});
      }
      break;
  }
  return own;
}

}  // namespace

TokenizerClass tokenizer_class_of(const TokenizerConfig& config, bool has_byte_level) {
  TokenizerClass chosen;
  chosen.name = chosen_name(config, has_byte_level);
  const auto* known =
      std::find_if(kClasses.begin(), kClasses.end(), [&](const ClassName& one) { return one.name == chosen.name; });
  const bool is_folder = config.exists || !config.model_type.empty();
  chosen.has_token_types = !is_folder;  // a file alone says what its post-processor says
  if (known != kClasses.end()) {
    chosen.kind = known->kind;
    chosen.has_token_types = known->has_token_types;
  }
  chosen.has_token_types = config.has_token_types.value_or(chosen.has_token_types);
  return chosen;
}

void check_tokenizer_class(const TokenizerClass& chosen, const std::string& where) {
  if (std::find(std::begin(kOthers), std::end(kOthers), chosen.name) == std::end(kOthers)) return;
  throw refused_value(where + ": tokenizer_class", chosen.name, "its way of making tokens is not computed here",
                      "If tokenizer.json is right as it is, set \"tokenizer_class\": \"PreTrainedTokenizerFast\" in "
                      "tokenizer_config.json.");
}

TokenizerConfig with_class_tokens(TokenizerConfig config, Kind kind,
                                  const std::function<bool(const std::string&)>& is_known) {
  const TokenizerConfig own = class_tokens(kind, config);
  const auto fill = [&](const char* key, std::optional<std::string>& name, const std::optional<std::string>& usual) {
    if (!name && usual && config.null_tokens.count(key) == 0 && is_known(*usual)) name = usual;
  };
  fill("pad_token", config.pad_token, own.pad_token);
  fill("unk_token", config.unk_token, own.unk_token);
  fill("cls_token", config.cls_token, own.cls_token);
  fill("sep_token", config.sep_token, own.sep_token);
  fill("mask_token", config.mask_token, own.mask_token);
  fill("bos_token", config.bos_token, own.bos_token);
  fill("eos_token", config.eos_token, own.eos_token);
  const std::vector<AddedToken>& listed = config.extra_special_tokens;
  const bool has_own = kind == Kind::kT5 ? std::any_of(listed.begin(), listed.end(), is_extra_id) : !listed.empty();
  if (has_own) return config;
  for (const AddedToken& token : own.extra_special_tokens) {
    if (is_known(token.content)) config.extra_special_tokens.push_back(token);
  }
  return config;
}

void apply_tokenizer_class(const TokenizerClass& chosen, const TokenizerConfig& config, const std::string& where,
                           Json& file) {
  if (chosen.kind == Kind::kFile) return;
  const Json type = file.contains("model") && file["model"].is_object() ? file["model"].value("type", Json()) : Json();
  if (type != model_of(chosen.kind)) {
    throw refused_value(where + ": tokenizer_class", chosen.name,
                        fmt::format("it needs a model of type {}, but the file has {}", model_of(chosen.kind),
                                    type.is_string() ? type.get<std::string>() : "none"),
                        "Set \"tokenizer_class\": \"PreTrainedTokenizerFast\" in tokenizer_config.json to use the file "
                        "as it is.");
  }
  switch (chosen.kind) {
    case Kind::kFile:
      return;
    case Kind::kBert:
    case Kind::kMpnet:
      return make_bert(config, file);
    case Kind::kRoberta:
    case Kind::kGpt2:
    case Kind::kQwen2:
      return make_byte_level(chosen.kind, config, file);
    case Kind::kAlbert:
    case Kind::kCamembert:
    case Kind::kXlmRoberta:
    case Kind::kT5:
    case Kind::kSiglip:
      return make_unigram(chosen.kind, config, file);
    case Kind::kLlama:
      return make_llama(config, file);
    case Kind::kGemma:
      return make_gemma(config, file);
    case Kind::kClip:
      return make_clip(config, file);
  }
}

std::optional<Arrangement> class_arrangement(const TokenizerClass& chosen, const TokenizerConfig& named,
                                             const SpecialTokens& special, const std::string& where,
                                             bool is_file_silent) {
  const auto need = [&](std::optional<std::int32_t> id, const char* key) {
    if (id) return *id;
    throw refused_value(where + ": tokenizer_class", chosen.name,
                        fmt::format("it needs a {}, which tokenizer_config.json does not name", key));
  };
  if (chosen.kind == Kind::kBert || (chosen.kind == Kind::kAlbert && is_file_silent)) {
    return bert_arrangement(need(special.cls, "cls_token"), need(special.sep, "sep_token"));
  }
  if (chosen.kind == Kind::kMpnet) {  // its words have BERT's special tokens too, which must not stand in
    return roberta_arrangement(need(named.cls_token ? special.cls : std::nullopt, "cls_token"),
                               need(named.sep_token ? special.sep : std::nullopt, "sep_token"));
  }
  if (chosen.kind == Kind::kRoberta) {
    return roberta_arrangement(need(special.cls, "cls_token"), need(special.sep, "sep_token"));
  }
  if (chosen.kind == Kind::kCamembert || chosen.kind == Kind::kXlmRoberta || chosen.kind == Kind::kClip) {
    return roberta_arrangement(need(special.bos, "bos_token"), need(special.eos, "eos_token"));
  }
  if (chosen.kind == Kind::kT5 || chosen.kind == Kind::kSiglip) {
    return without_types(framed_arrangement(std::nullopt, need(special.eos, "eos_token")));
  }
  return std::nullopt;
}

std::optional<OffsetTrim> class_offset_trim(Kind kind, const TokenizerConfig& config) {
  if (kind == Kind::kMpnet) return OffsetTrim{.add_prefix_space = false};
  if (kind != Kind::kRoberta || !config.trim_offsets.value_or(true)) return std::nullopt;
  return OffsetTrim{.add_prefix_space = config.add_prefix_space.value_or(false)};
}

}  // namespace transformeter
